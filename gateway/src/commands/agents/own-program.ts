/**
 * The command with which other programs start this one: agents run their key helper from any
 * folder.
 */
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import type { AgentEnvironment } from "./sign-in-file.ts";

const name = "tollgate";

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Its name where it is on PATH, which a new version does not change; else Node.js and the file that
 * runs now.
 */
export function findOwnProgram(
  { PATH = "" }: AgentEnvironment,
  node: string,
  script: string,
): [string, ...string[]] {
  const isOnPath = PATH.split(delimiter).some(
    (folder) => folder !== "" && isProgram(join(folder, name)),
  );
  return isOnPath ? [name] : [node, script];
}
