/** A folder as a tar archive whose bytes depend on its files alone. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);
/** A layer with Node is 170 MB. */
const archiveBytesMax = 1024 * 1024 * 1024;

/** GNU tar, told to write nothing that depends on the machine. */
export async function tarOf(
  dir: string,
  seconds: number,
  owner: string,
  names: readonly string[] = ["."],
): Promise<Buffer> {
  const flags = [
    "--sort=name",
    "--format=posix",
    "--pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime",
    `--mtime=@${seconds}`,
    "--numeric-owner",
    `--owner=${owner}`,
    `--group=${owner}`,
    "--mode=go-w",
  ];
  const { stdout } = await run("tar", [...flags, "-C", dir, "-cf", "-", ...names], {
    encoding: "buffer",
    maxBuffer: archiveBytesMax,
  });
  return stdout;
}
