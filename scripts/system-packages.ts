// The programs of the tests that npm does not install: a browser, PostgreSQL, PgBouncer, Redis,
// nginx, Caddy, MariaDB, Prometheus and readers of images. Root on Debian installs them.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { caddyAvailable } from "../tests/src/harness/caddy-server.ts";
import { browserAvailable, leanBrowserAvailable } from "../tests/src/harness/chromium.ts";
import { mariadbAvailable } from "../tests/src/harness/mariadb-server.ts";
import { nginxAvailable } from "../tests/src/harness/nginx-server.ts";
import { pgbouncerAvailable } from "../tests/src/harness/pgbouncer-server.ts";
import { postgresAvailable } from "../tests/src/harness/postgres-cluster.ts";
import { prometheusAvailable } from "../tests/src/harness/prometheus-server.ts";
import { redisAvailable } from "../tests/src/harness/redis-server.ts";

export type SystemPackage = {
  name: string;
  debianPackage: string;
  isAvailable(): boolean;
  reason(): string;
};

export const browser = systemPackage("Chromium", "chromium-headless-shell", browserAvailable);
/**
 * `leanBrowser` is what is installed for journeys: on Debian the headless shell beside any other
 * Chromium, for it takes half the processor time.
 */
export const leanBrowser = isDebian()
  ? systemPackage("Chromium's headless shell", "chromium-headless-shell", leanBrowserAvailable)
  : browser;
export const postgres = systemPackage("PostgreSQL", "postgresql", postgresAvailable);
export const pgbouncer = systemPackage("PgBouncer", "pgbouncer", pgbouncerAvailable);
export const redis = systemPackage("Redis", "redis-server", redisAvailable);
export const nginx = systemPackage("nginx", "nginx", nginxAvailable);
/** Only for what is large: the other reverse proxy that the documentation configures. */
export const caddy = systemPackage("Caddy", "caddy", caddyAvailable);
/** Only for `npm run trust -- short`: the source of an import. */
export const mariadb = systemPackage("MariaDB", "mariadb-server", mariadbAvailable);
/** Only for `npm run trust -- short`: it scrapes a gateway. */
export const prometheus = systemPackage("Prometheus", "prometheus", prometheusAvailable);
/** Only for `npm run trust -- short`: they read the image that the project builds. */
export const imageTools = ["skopeo", "umoci"].map((program) =>
  systemPackage(program, program, () =>
    spawnSync(program, ["--version"]).status === 0
      ? { available: true }
      : { available: false, reason: `${program} is not installed` },
  ),
);

function systemPackage(
  name: string,
  debianPackage: string,
  look: typeof browserAvailable,
): SystemPackage {
  return {
    name,
    debianPackage,
    isAvailable: () => look().available,
    reason() {
      const found = look();
      return found.available ? "" : found.reason;
    },
  };
}

/** Returns messages for the developer: what was installed, or the command that installs it. */
export function installMissing(needs: readonly SystemPackage[]): string[] {
  const missing = needs.filter((one) => !one.isAvailable());
  if (missing.length === 0) return [];
  const packages = missing.map(({ debianPackage }) => debianPackage);
  const names = missing.map(({ name }) => name).join(" and ");
  if (!isDebian())
    return [
      `${names} missing: install ${packages.join(" and ")} with your system's package manager.`,
    ];
  if (process.getuid?.() !== 0) {
    return [
      `${names} missing. Run: sudo apt-get update && sudo apt-get install -y ${packages.join(" ")}`,
    ];
  }
  if (packages.includes("postgresql")) preventServerAutostart();
  aptGet("update");
  // This script wrote the file above; without this option apt would ask which version to keep.
  aptGet(
    "install",
    "-y",
    "--no-install-recommends",
    "-o",
    "Dpkg::Options::=--force-confold",
    ...packages,
  );
  return missing.filter((one) => one.isAvailable()).map(({ name }) => `Installed ${name}.`);
}

const createClusterFile = "/etc/postgresql-common/createcluster.conf";

function isDebian(): boolean {
  return existsSync("/etc/debian_version");
}

/** Debian creates and starts a server with the package; the tests start their own, private ones. */
function preventServerAutostart(): void {
  const before = existsSync(createClusterFile) ? readFileSync(createClusterFile, "utf8") : "";
  mkdirSync(dirname(createClusterFile), { recursive: true });
  writeFileSync(createClusterFile, withoutMainCluster(before));
}

export function withoutMainCluster(settings: string): string {
  const others = settings.split("\n").filter((line) => !/^\s*create_main_cluster\b/.test(line));
  return `${others.join("\n").trimEnd()}\ncreate_main_cluster = false\n`.trimStart();
}

function aptGet(...args: string[]): void {
  const { status } = spawnSync("apt-get", ["-qq", ...args], {
    stdio: ["ignore", "ignore", "inherit"],
    // Runlevel 1 is maintenance: the package of a server does not start it.
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" },
  });
  // No exception: the caller names what is still missing, with its reason.
  if (status !== 0) console.error(`apt-get ${args.join(" ")} failed with ${status}`);
}
