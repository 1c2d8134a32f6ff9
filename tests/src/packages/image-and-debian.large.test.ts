// The image and the Debian package, as an operator runs them: unpacked by the tools of others, then
// to the first logged call.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listLogs } from "@tollgate/contract/figures/logs.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { buildNpmPackage } from "../../../scripts/build-npm-package.ts";
import { ensureConsoleBuild } from "../../../scripts/console-build.ts";
import { buildDebianPackage } from "../../../scripts/debian-package.ts";
import { thisArchitecture } from "../../../scripts/node-runtime.ts";
import { buildOciImage, type ImageSources } from "../../../scripts/oci-image.ts";
import { sendTo, signInSession } from "../harness/api-session.ts";
import { type ChildProgram, startProgram } from "../harness/child-process.ts";
import { findProgram } from "../harness/find-program.ts";
import { createDatabase, dropDatabase } from "../harness/postgres-cluster.ts";
import { startRedisServer } from "../harness/redis-server.ts";
import { repositoryDir } from "../harness/repository-dir.ts";
import { type SimulatorProcess, startSimulatorProcess } from "../harness/simulator-process.ts";
import { readCompose, renderPod, variablesOf } from "./deployments.ts";
import {
  listeningAddress,
  makeFirstCall,
  newcomerPassword,
  readyTimeoutMs,
} from "./first-logged-call.ts";

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
const stopProgram = async (): Promise<void> => {
  await program?.stop();
  program = undefined;
};
afterEach(stopProgram);
afterAll(async () => {
  await simulator.stop();
  rmSync(folder, { recursive: true });
});

const run = (file: string, ...args: string[]): string =>
  execFileSync(file, args, { encoding: "utf8" });

/** Started by name through `env`, which leaves none of the test's own variables. */
async function startInstalled(
  file: string,
  args: readonly string[],
  env: Record<string, string>,
): Promise<string> {
  program = startProgram({
    file,
    args: [...args],
    cwd: folder,
    env: {
      ...env,
      HOST: "127.0.0.1",
      PORT: "0",
      UPSTREAM_PRIVATE_HOSTS: new URL(simulator.url).host,
    },
  });
  return program.waitForLine(listeningAddress, readyTimeoutMs);
}

describe("the image", () => {
  const layout = () => join(folder, "oci");
  const rootfs = () => join(folder, "bundle/rootfs");

  beforeAll(async () => {
    await buildOciImage(sources, [thisArchitecture], folder);
    run(
      "umoci",
      "unpack",
      "--image",
      `${layout()}:${version}-${thisArchitecture}`,
      join(folder, "bundle"),
    );
  });

  test("is described by its version, runs as no known user, and holds no shell", () => {
    const shown = JSON.parse(
      run("skopeo", "inspect", "--config", `oci:${layout()}:${version}`),
    ) as {
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

  /**
   * `imageProcess` gives what an engine starts: the image's program, as its user, in a root of its
   * own. The address is one of the test.
   */
  const imageProcess = () => {
    const { process } = JSON.parse(readFileSync(join(folder, "bundle/config.json"), "utf8")) as {
      process: { args: string[]; env: string[] };
    };
    const env: Record<string, string> = Object.fromEntries(
      process.env.map((entry) => entry.split(/=(.*)/s).slice(0, 2)),
    );
    return { args: process.args, env };
  };
  const startImage = (variables: Record<string, string> = {}): Promise<string> => {
    const { args, env } = imageProcess();
    const chroot = ["--userspec=65532:65532", rootfs(), ...args];
    return startInstalled("/usr/sbin/chroot", chroot, { ...env, ...variables });
  };
  const leadsToFirstCall = async (variables?: Record<string, string>): Promise<string> => {
    const url = await startImage(variables);
    if (!program) throw new Error("the gateway did not start");
    await makeFirstCall(program, url, simulator.url);
    return url;
  };
  beforeEach(() => {
    for (const name of readdirSync(join(rootfs(), "data")))
      rmSync(join(rootfs(), "data", name), { recursive: true });
  });

  test("leads to the first logged call, started by its own settings", async () => {
    await leadsToFirstCall();
  });

  test("leads to the first logged call by the compose file, whose volume keeps it", async () => {
    const { services, volumes } = readCompose();
    const { tollgate } = services;
    expect(tollgate?.read_only).toBe(true);
    expect(tollgate?.image).toMatch(/^tollgate:/);
    // The folders that the image's user may write to, and no others.
    const mounts = [...(tollgate?.volumes ?? []), ...(tollgate?.tmpfs ?? [])];
    expect(mounts).toEqual(["data:/data", "/tmp:uid=65532,gid=65532,mode=0700"]);
    expect(Object.keys(volumes)).toContain("data");
    const variables = tollgate?.environment ?? {};
    expect(tollgate?.ports).toEqual([`127.0.0.1:3000:${variables.PORT}`]);
    await leadsToFirstCall(variables);
    await stopProgram();
    const root = await signInSession(sendTo(await startImage(variables)), "root", newcomerPassword);
    expect((await root.call(listLogs, { query: { model_name: "sim-model" } })).data).toHaveLength(
      1,
    );
  });

  test("leads to it by the compose file's profile of PostgreSQL and Redis", async () => {
    const { services } = readCompose({
      onPostgres: true,
      variables: { POSTGRES_PASSWORD: "p4ss" },
    });
    const { DATABASE_URL = "", REDIS_URL = "" } = services.tollgate?.environment ?? {};
    const [database, redis] = [new URL(DATABASE_URL), new URL(REDIS_URL)];
    expect(services[database.hostname]).toMatchObject({
      profiles: ["postgres"],
      environment: {
        POSTGRES_USER: database.username,
        POSTGRES_DB: database.pathname.slice(1),
        POSTGRES_PASSWORD: database.password,
      },
    });
    expect(database.password).toBe("p4ss");
    expect(services[redis.hostname]?.profiles).toEqual(["postgres"]);
    // Servers of the test in the places of those two.
    const server = await startRedisServer();
    const databaseUrl = await createDatabase();
    try {
      await leadsToFirstCall({
        ...services.tollgate?.environment,
        DATABASE_URL: databaseUrl,
        REDIS_URL: server.url,
      });
      await stopProgram();
    } finally {
      await server.stop();
      await dropDatabase(databaseUrl);
    }
  });

  const helm = findProgram(["helm"]);
  if (helm) {
    test("leads to it by the pod that Helm renders, whose probes it answers", async () => {
      const { kind, user, container } = renderPod(helm);
      expect(kind).toBe("StatefulSet");
      expect(user).toEqual({ runAsUser: 65_532, runAsGroup: 65_532, fsGroup: 65_532 });
      expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toEqual(["/data", "/tmp"]);
      expect(container.ports).toEqual([
        { name: "http", containerPort: Number(imageProcess().env.PORT) },
      ]);
      const url = await leadsToFirstCall(variablesOf(container, {}));
      for (const { httpGet } of [
        container.startupProbe,
        container.livenessProbe,
        container.readinessProbe,
      ])
        expect(await fetch(`${url}${httpGet.path}`)).toMatchObject({ status: 200 });
    });

    test("leads to it by the pod on PostgreSQL, with the variables of its Secret", async () => {
      const { kind, container } = renderPod(helm, [
        "database=postgresql",
        "secretName=tollgate",
        "replicas=3",
      ]);
      expect(kind).toBe("Deployment");
      const databaseUrl = await createDatabase();
      try {
        const secret = {
          DATABASE_URL: databaseUrl,
          MASTER_KEY: Buffer.alloc(32, 5).toString("base64"),
        };
        await leadsToFirstCall(variablesOf(container, secret));
        // Nothing that a pod without a volume would lose.
        expect(readdirSync(join(rootfs(), "data"))).toEqual([]);
        await stopProgram();
      } finally {
        await dropDatabase(databaseUrl);
      }
    });
  }

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
    const own = readFileSync(script, "utf8").replaceAll(
      "/usr/lib/tollgate",
      join(installed(), "usr/lib/tollgate"),
    );
    writeFileSync(script, own.replace('[ "$(id -u)" = 0 ]', "false"));
    const url = await startInstalled(script, [], {
      PATH: "/usr/bin:/bin",
      DATA_DIR: join(folder, "deb-data"),
    });
    if (!program) throw new Error("the gateway did not start");
    await makeFirstCall(program, url, simulator.url);
  });

  test.runIf(process.getuid?.() === 0)(
    "runs a command of root's as the service's user, with the service's settings",
    () => {
      const site = join(folder, "deb $HOME & `id`;");
      mkdirSync(site);
      chownSync(site, nobody, nobody);
      // Its user must reach the program.
      for (const path of [folder, installed()]) chmodSync(path, 0o755);
      const settings = join(folder, "tollgate.env");
      writeFileSync(settings, `# of the service\nDATA_DIR=${site}\nMETRICS_LABELS=group, token\n`);
      const script = join(installed(), "usr/bin/tollgate");
      const source = readFileSync(join(repositoryDir, "deploy/debian/tollgate.sh"), "utf8");
      const own = source
        .replaceAll("/usr/lib/tollgate", join(installed(), "usr/lib/tollgate"))
        .replace("/etc/tollgate/tollgate.env", settings)
        .replace(
          "--reuid=tollgate --regid=tollgate --init-groups",
          `--reuid=${nobody} --regid=${nobody} --clear-groups`,
        )
        .replace("@FLAGS@", "");
      writeFileSync(script, own);
      const tollgate = (...words: string[]) =>
        run("env", "-i", "PATH=/usr/bin:/bin", script, ...words);
      expect(tollgate("migrate")).toContain(`Database: ${site}/tollgate.db`);
      expect(statSync(join(site, "tollgate.db")).uid).toBe(nobody);
      expect(tollgate("audit")).toBe(`Database: ${site}/tollgate.db\nThe books agree.\n`);
    },
  );
});

/** A user of every Debian that owns nothing. */
const nobody = 65_534;
