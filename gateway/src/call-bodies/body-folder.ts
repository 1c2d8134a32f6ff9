/** Sealed contents of calls as files, readable by the gateway's own user alone. */
import { mkdir, readFile, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { BodyObjects } from "./body-objects.ts";

const folderMode = 0o700;
const fileMode = 0o600;

export function buildBodyFolder(root: string): BodyObjects {
  return {
    async put(name, bytes) {
      const file = join(root, name);
      await mkdir(dirname(file), { recursive: true, mode: folderMode });
      // A reader sees the whole file or none.
      await writeFile(`${file}.part`, bytes, { mode: fileMode });
      await rename(`${file}.part`, file);
    },
    get: (name) => findUnlessMissing(readFile(join(root, name))),
    async remove(name) {
      const file = join(root, name);
      await rm(file, { force: true });
      await rm(`${file}.part`, { force: true });
      // The folder of a day goes with its last file.
      await rmdir(dirname(file)).catch(() => undefined);
    },
    close: () => Promise.resolve(),
  };
}

async function findUnlessMissing<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
