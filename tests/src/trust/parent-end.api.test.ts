// Real processes: npm, the script that it runs, and the gateway.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect } from "vitest";
import { type ChildProgram, startProgram } from "../harness/child-process.ts";
import { eventually } from "../harness/eventually.ts";
import { gatewayMain } from "../harness/gateway-program.ts";
import { repositoryDir } from "../harness/repository-dir.ts";
import { testLarge } from "../support/large-tests.ts";

let folder: string;
let npm: ChildProgram;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-parent-"));
});
afterEach(async () => {
  await npm.stop();
  rmSync(folder, { recursive: true });
});

/** `npm start` without its builds, in a package of its own. */
async function npmStart(): Promise<number> {
  const supervisor = join(repositoryDir, "scripts/supervise-gateway.ts");
  const main = gatewayMain();
  const run = `import("${supervisor}").then((it) => it.superviseGateway("${main}"))`;
  writeFileSync(join(folder, "run.mjs"), `process.exitCode = await ${run};`);
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ scripts: { start: `"${process.execPath}" run.mjs` } }),
  );
  const { VITEST: _, ...env } = process.env;
  npm = startProgram({
    file: "npm",
    args: ["start"],
    cwd: folder,
    env: {
      ...env,
      HOST: "127.0.0.1",
      PORT: "0",
      DATA_DIR: join(folder, "data"),
      NO_UPDATE_NOTIFIER: "1",
    },
  });
  await npm.waitForLine(
    (line) => (line.includes('"event":"listening"') ? true : undefined),
    60_000,
  );
  const gateway = descendantsOf(npm.pid).at(-1);
  if (gateway === undefined) throw new Error("npm has no child");
  return gateway;
}

/** Each process with one child: npm, perhaps a shell, the script, the gateway. */
function descendantsOf(pid: number): number[] {
  const table = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" });
  const rows = table
    .trim()
    .split("\n")
    .map((row) => row.trim().split(/\s+/).map(Number));
  const child = rows.find(([, parent]) => parent === pid)?.[0];
  return child === undefined ? [] : [child, ...descendantsOf(child)];
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

testLarge(
  [
    ["npm", (): number => npm.pid],
    ["the script that npm runs", (): number => descendantsOf(npm.pid).at(-2) ?? 0],
  ] as const,
  { timeout: 90_000 },
)("kill -9 of %s stops the gateway as SIGTERM does", async ([, pidOf]) => {
  const gateway = await npmStart();
  const all = [npm.pid, ...descendantsOf(npm.pid)];
  process.kill(pidOf(), "SIGKILL");
  await eventually(() => expect(all.filter(isRunning)).toEqual([]), { timeoutMs: 30_000 });
  expect(npm.output()).toMatch(/"event":"stopping","forced":false/);
  expect(npm.output()).toMatch(/"event":"stopped","finished":true/);
  expect(isRunning(gateway)).toBe(false);
});
