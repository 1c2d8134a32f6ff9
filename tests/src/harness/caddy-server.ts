// Caddy in front of a gateway, set up as docs/operations.md says: the very lines of that page, on a
// free port of 127.0.0.1.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Availability } from "./availability.ts";
import { startProgram } from "./child-process.ts";
import { eventually } from "./eventually.ts";
import { findProgram } from "./find-program.ts";
import { freePort } from "./free-port.ts";
import type { FrontingProxy, FrontingProxyOptions } from "./fronting-proxy.ts";
import { repositoryDir } from "./repository-dir.ts";

const find = (): string | undefined => findProgram(["caddy"], ["/usr/local/bin"]);

export function caddyAvailable(): Availability {
  return find() ? { available: true } : { available: false, reason: "Caddy is not installed" };
}

export async function startCaddy(
  target: string,
  { port: givenPort, below }: FrontingProxyOptions = {},
): Promise<FrontingProxy> {
  const program = find();
  if (!program) throw new Error("Caddy is not installed");
  const folder = mkdtempSync(join(tmpdir(), "tollgate-caddy-"));
  const port = givenPort ?? (await freePort());
  const [file, passed] = [join(folder, "Caddyfile"), join(folder, "passed")];
  // Any name of the host is its own, as with nginx; `log` is for `passed`.
  const site = `http://:${port} {
  bind 127.0.0.1
  log {
    output file ${passed}
  }`;
  writeFileSync(
    file,
    `{
  admin off
}
${documentedSettings(new URL(target).host, site, below)}`,
  );
  const server = startProgram({
    file: program,
    args: ["run", "--config", file, "--adapter", "caddyfile"],
    env: { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await eventually(async () => {
      await fetch(`${url}/healthz`);
    });
  } catch (cause) {
    const output = server.output();
    await stop();
    throw new Error(`Caddy does not answer: ${output}`, { cause });
  }
  return {
    url,
    // It logs a request that it has understood once that is over.
    passed: () =>
      existsSync(passed) ? readFileSync(passed, "utf8").split("\n").filter(Boolean).length : 0,
    stop,
  };
}

/** Without TLS: a test cannot have a trusted certificate. */
function documentedSettings(
  gateway: string,
  site: string,
  below: FrontingProxyOptions["below"],
): string {
  const page = readFileSync(join(repositoryDir, "docs/operations.md"), "utf8");
  const [plain = "", placed = ""] = [...page.matchAll(/```caddy\n([\s\S]*?)```/g)].map(
    ([, text]) => text,
  );
  const settings = below
    ? placed
        .replaceAll("/gate", below.path)
        .replace("handle ", below.isStripped ? "handle_path " : "handle ")
    : plain;
  const replaced = settings
    .replace("127.0.0.1:3000", gateway)
    .replace(/^(?:ai\.)?example\.com \{$/m, site);
  if (!replaced.includes(gateway) || !replaced.includes(site))
    throw new Error("docs/operations.md has no settings for Caddy any more");
  return replaced;
}
