/**
 * The identity server canaille (PyPI), an OpenID Connect provider of other makers than
 * `oidc-provider`, with its own pages.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pythonWith } from "../harness/python-packages.ts";

export const canailleClient = {
  clientId: "tollgate",
  clientSecret: "a-secret-of-the-test-with-enough-bytes",
};
export const canaillePassword = "a password at canaille";

export interface CanailleServer {
  /** `issuer` is as its discovery document names it: with a slash at the end. */
  issuer: string;
  /** Members by group. */
  setGroups(groups: Readonly<Record<string, readonly string[]>>): Promise<void>;
  /** A new key in place of the one before. */
  rotateKey(kid: string): Promise<void>;
  stop(): Promise<void>;
}

interface CanailleSettings {
  /** `siteUrl` is where the gateway is. */
  siteUrl: string;
  port: number;
  callback: string;
  people: readonly string[];
}

export async function startCanaille({
  port,
  siteUrl,
  callback,
  people,
}: CanailleSettings): Promise<CanailleServer> {
  const [command, ...args] = await pythonWith(join(import.meta.dirname, "canaille.txt"));
  const settings = {
    port,
    password: canaillePassword,
    client_id: canailleClient.clientId,
    client_secret: canailleClient.clientSecret,
    redirect_uris: [callback],
    post_logout_redirect_uris: [`${siteUrl}/login`],
    people: people.map((name) => ({
      name,
      full_name: `Person ${name}`,
      email: `${name}@canaille.example`,
    })),
  };
  const program = join(import.meta.dirname, "canaille_provider.py");
  const child = spawn(command, [...args, program, JSON.stringify(settings)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const nextLine = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done) throw new Error("canaille ended before it answered");
    return value;
  };
  const change = async (what: object): Promise<void> => {
    child.stdin.write(`${JSON.stringify(what)}\n`);
    await nextLine();
  };
  return {
    issuer: `${await nextLine()}/`,
    setGroups: (groups) => change({ groups }),
    rotateKey: (kid) => change({ kid }),
    async stop() {
      const closed = new Promise((resolve) => child.once("close", resolve));
      child.stdin.end();
      await closed;
    },
  };
}
