// nginx in front of a gateway, set up as docs/operations.md says: the very lines of that page, on a
// free port of 127.0.0.1.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Availability } from "./availability.ts";
import { startProgram } from "./child-process.ts";
import { eventually } from "./eventually.ts";
import { findProgram } from "./find-program.ts";
import { freePort } from "./free-port.ts";
import type { FrontingProxy, FrontingProxyOptions } from "./fronting-proxy.ts";
import { repositoryDir } from "./repository-dir.ts";

/** Debian keeps it where only root's path leads. */
const find = (): string | undefined => findProgram(["nginx"], ["/usr/sbin", "/usr/local/sbin"]);

export function nginxAvailable(): Availability {
  return find() ? { available: true } : { available: false, reason: "nginx is not installed" };
}

const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];

export interface NginxOptions extends FrontingProxyOptions {
  /** It asks this address who is signed in, as the page says for sign-in by the proxy. */
  signIn?: { service: string; secret: string };
}

export async function startNginx(
  target: string,
  { port: givenPort, ...placed }: NginxOptions = {},
): Promise<FrontingProxy> {
  const program = find();
  if (!program) throw new Error("nginx is not installed");
  const folder = mkdtempSync(join(tmpdir(), "tollgate-nginx-"));
  const port = givenPort ?? (await freePort());
  for (const name of temporary) mkdirSync(join(folder, name));
  const file = join(folder, "nginx.conf");
  writeFileSync(
    file,
    `${process.getuid?.() === 0 ? "user root;" : ""}
daemon off;
worker_processes 1;
pid ${folder}/pid;
error_log ${folder}/errors;
events { worker_connections 512; }
http {
  log_format passed "$upstream_addr";
  access_log ${folder}/passed passed;
  ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join("\n  ")}
${documentedSettings(new URL(target).host, port, placed)}
}
`,
  );
  const server = startProgram({
    file: program,
    args: ["-c", file, "-p", folder, "-e", join(folder, "errors")],
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
    const output = `${server.output()}${existsSync(join(folder, "errors")) ? readFileSync(join(folder, "errors"), "utf8") : ""}`;
    await stop();
    throw new Error(`nginx does not answer: ${output}`, { cause });
  }
  return {
    url,
    passed: () =>
      readFileSync(join(folder, "passed"), "utf8")
        .split("\n")
        .filter((line) => /^\d/.test(line)).length,
    stop,
  };
}

/** Without TLS: a test cannot have a trusted certificate. */
function documentedSettings(
  gateway: string,
  port: number,
  { signIn, below }: NginxOptions,
): string {
  const page = readFileSync(join(repositoryDir, "docs/operations.md"), "utf8");
  const [plain = "", signInLocations = ""] = [...page.matchAll(/```nginx\n([\s\S]*?)```/g)].map(
    ([, text]) => text,
  );
  const settings = signIn
    ? plain.replace(
        "  location / {",
        `${signInLocations
          .replace("http://127.0.0.1:9091/api/authz/auth-request", signIn.service)
          .replace("the-value-of-TRUSTED_SIGN_IN_SECRET", signIn.secret)}\n  location /v1/ {`,
      )
    : plain;
  const replaced = (below ? placeBelow(settings, below) : settings)
    .replace("127.0.0.1:3000", gateway)
    .replace("listen 443 ssl;", `listen 127.0.0.1:${port};`)
    .replace(/^ *ssl_.*\n/gm, "");
  if (!replaced.includes(gateway) || !replaced.includes(`:${port};`))
    throw new Error("docs/operations.md has no settings for nginx any more");
  return replaced;
}

function placeBelow(
  settings: string,
  { path, isStripped }: NonNullable<NginxOptions["below"]>,
): string {
  const placed = settings.replace("  location / {", `  location ${path}/ {`);
  return isStripped
    ? placed.replace("proxy_pass http://tollgate;", "proxy_pass http://tollgate/;")
    : placed;
}
