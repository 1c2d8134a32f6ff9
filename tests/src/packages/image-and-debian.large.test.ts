// The image and the Debian package, as an operator runs them: unpacked by the tools of others, then to the first logged call.
import { execFileSync } from "node:child_process";
import { globSync, lstatSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { buildNpmPackage } from "../../../scripts/build-npm-package.ts";
import { ensureConsoleBuild } from "../../../scripts/console-build.ts";
import { buildDebianPackage } from "../../../scripts/debian-package.ts";
import { thisArchitecture } from "../../../scripts/node-runtime.ts";
import { buildOciImage, type ImageSources } from "../../../scripts/oci-image.ts";
import { type ChildProgram, startProgram } from "../harness/child-process.ts";
import { repositoryDir } from "../harness/repository-dir.ts";
import { type SimulatorProcess, startSimulatorProcess } from "../harness/simulator-process.ts";
import { listeningAddress, makeFirstCall, readyTimeoutMs } from "./first-logged-call.ts";

const version = "0.0.1";
const createdAt = Date.UTC(2026, 10, 22) / 1_000;

let folder: string;
let sources: ImageSources;
let simulator: SimulatorProcess;
let program: ChildProgram | undefined;

beforeAll(async () => {
  await ensureConsoleBuild(repositoryDir, () => undefined);
  folder = mkdtempSync(join(tmpdir(), "tollgate-system-"));
  await buildNpmPackage(repositoryDir, folder);
  sources = { root: repositoryDir, packageDir: join(folder, "npm"), version, createdAt };
  simulator = await startSimulatorProcess();
});
afterEach(async () => {
  await program?.stop();
  program = undefined;
});
afterAll(async () => {
  await simulator.stop();
  rmSync(folder, { recursive: true });
});

const run = (file: string, ...args: string[]): string => execFileSync(file, args, { encoding: "utf8" });

/** Started by name through `env`, which leaves none of the test's own variables. */
async function startInstalled(file: string, args: readonly string[], env: Record<string, string>): Promise<string> {
  program = startProgram({
    file,
    args: [...args],
    cwd: folder,
    env: { ...env, HOST: "127.0.0.1", PORT: "0", UPSTREAM_PRIVATE_HOSTS: new URL(simulator.url).host },
  });
  return program.waitForLine(listeningAddress, readyTimeoutMs);
}

describe("the image", () => {
  const layout = () => join(folder, "oci");
  const rootfs = () => join(folder, "bundle/rootfs");

  beforeAll(async () => {
    await buildOciImage(sources, [thisArchitecture], folder);
    run("umoci", "unpack", "--image", `${layout()}:${version}-${thisArchitecture}`, join(folder, "bundle"));
  });

  test("is described by its version, runs as no known user, and holds no shell", () => {
    const shown = JSON.parse(run("skopeo", "inspect", "--config", `oci:${layout()}:${version}`)) as {
      config: { User: string; Labels: Record<string, string>; Volumes: object };
    };
    expect(shown.config).toMatchObject({
      User: "65532:65532",
      Labels: { "org.opencontainers.image.version": version },
      Volumes: { "/data": {} },
    });
    expect(globSync("{,usr/}{,s}bin/*", { cwd: rootfs() })).toEqual(["usr/bin/node"]);
  });

  test("lets its user write to the data and to temporary files alone", () => {
    const writable = globSync("**/*", { cwd: rootfs(), withFileTypes: true })
      .filter((entry) => !entry.isSymbolicLink())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => {
        const { uid, mode } = lstatSync(path);
        return uid === 65_532 || (mode & 0o022) !== 0;
      });
    expect(writable.map((path) => path.slice(rootfs().length)).sort()).toEqual(["/data", "/tmp"]);
  });

  test("leads to the first logged call, started by its own settings", async () => {
    const { process } = JSON.parse(readFileSync(join(folder, "bundle/config.json"), "utf8")) as {
      process: { args: string[]; env: string[] };
    };
    const env = Object.fromEntries(process.env.map((entry) => entry.split(/=(.*)/s).slice(0, 2)));
    const url = await startInstalled("/usr/sbin/chroot", ["--userspec=65532:65532", rootfs(), ...process.args], env);
    if (!program) throw new Error("the gateway did not start");
    await makeFirstCall(program, url, simulator.url);
  });

  test("has the same bytes when it is built again", async () => {
    const before = readFileSync(join(layout(), "index.json"), "utf8");
    await buildOciImage(sources, [thisArchitecture], folder);
    expect(readFileSync(join(layout(), "index.json"), "utf8")).toBe(before);
  });
});

describe("the Debian package", () => {
  const installed = () => join(folder, "installed");
  let file: string;

  beforeAll(async () => {
    file = await buildDebianPackage(sources, thisArchitecture, folder);
    run("dpkg-deb", "-x", file, installed());
  });

  test("names its version, keeps the operator's settings, and its scripts are whole", () => {
    expect(run("dpkg-deb", "-f", file, "Version", "Architecture")).toBe(
      `Version: ${version}\nArchitecture: ${thisArchitecture}\n`,
    );
    const control = join(folder, "control");
    run("dpkg-deb", "-e", file, control);
    expect(readFileSync(join(control, "conffiles"), "utf8")).toBe("/etc/tollgate/tollgate.env\n");
    for (const script of ["postinst", "prerm", "postrm"]) run("sh", "-n", join(control, script));
    const owners = run("dpkg-deb", "-c", file).trim().split("\n");
    expect(owners.filter((line) => !line.includes(" root/root "))).toEqual([]);
  });

  test("leads to the first logged call", async () => {
    // The paths of a real installation, in a folder of the test.
    const script = join(installed(), "usr/bin/tollgate");
    const own = readFileSync(script, "utf8").replaceAll("/usr/lib/tollgate", join(installed(), "usr/lib/tollgate"));
    writeFileSync(script, own.replace('[ "$(id -u)" = 0 ]', "false"));
    const url = await startInstalled(script, [], { PATH: "/usr/bin:/bin", DATA_DIR: join(folder, "deb-data") });
    if (!program) throw new Error("the gateway did not start");
    await makeFirstCall(program, url, simulator.url);
  });
});
