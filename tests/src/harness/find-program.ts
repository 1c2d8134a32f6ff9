import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** The first of these programs that is on PATH, or in one of the folders besides. */
export function findProgram(
  names: readonly string[],
  besides: readonly string[] = [],
): string | undefined {
  const folders = [...(process.env.PATH ?? "").split(delimiter), ...besides];
  return names
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((file) => existsSync(file));
}
