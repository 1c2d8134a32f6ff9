/** Pinned packages of PyPI in a folder of their own, for programs of Python that tests drive. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Availability } from "./availability.ts";
import { findProgram } from "./find-program.ts";
import { folderOf, madeOnce } from "./made-once.ts";

export const pythonAvailable = (): Availability =>
  findProgram(["python3"])
    ? { available: true }
    : { available: false, reason: "Python 3 is not installed" };

/**
 * Answers what stands before the path of a program. `requirements` names every package, also those
 * that others need.
 */
export async function pythonWith(requirements: string): Promise<[string, ...string[]]> {
  const packages = await madeOnce(folderOf("python", [requirements]), async (folder) => {
    const target = ["--no-deps", "--target", folder, "-r", requirements];
    await promisify(execFile)("python3", ["-m", "pip", "install", "--quiet", ...target]);
  });
  return ["env", `PYTHONPATH=${packages}`, "python3"];
}
