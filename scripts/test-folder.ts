/**
 * The folder for what one run of the tests writes. In memory where the system has enough: a gateway
 * on SQLite waits for the disk at each commit, which is a third of the time of the database tests.
 */
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const memoryFolder = "/dev/shm";
/**
 * Half of it is used: the test server of PostgreSQL keeps a database for each test file that runs.
 */
const bytesMin = 2 * 2 ** 30;
const prefix = "tollgate-tests-";

/** Also removes what runs that were killed have left. */
export function makeTestFolder(): string {
  const parent = hasSpace(memoryFolder) && runsPrograms(memoryFolder) ? memoryFolder : tmpdir();
  for (const name of readdirSync(parent)) {
    if (name.startsWith(prefix) && !isRunning(Number(name.slice(prefix.length))))
      removeTestFolder(join(parent, name));
  }
  const folder = join(parent, prefix + process.pid);
  mkdirSync(folder);
  // PostgreSQL runs as another user where the tests run as root.
  chmodSync(folder, 0o1777);
  return folder;
}

export function removeTestFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

function hasSpace(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= bytesMin;
  } catch {
    return false;
  }
}

/**
 * Tests start packages that they have built there; containers often mount the folder without the
 * right to.
 */
function runsPrograms(folder: string): boolean {
  const mounts = readFileSync("/proc/mounts", "utf8").split("\n");
  return !mounts.some((line) => {
    const [, place, , options = ""] = line.split(" ");
    return place === folder && options.split(",").includes("noexec");
  });
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === "EPERM";
  }
}
