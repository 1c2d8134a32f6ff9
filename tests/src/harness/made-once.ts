/**
 * Folders in `.cache/clients` that are made once on a machine: packages of other languages, and
 * programs that are compiled.
 */
import { hash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { repositoryDir } from "./repository-dir.ts";

/** What the files say decides the folder's name. */
export function folderOf(name: string, files: readonly string[]): string {
  const pinned = files.map((file) => readFileSync(file, "utf8")).join("\n");
  return join(repositoryDir, ".cache", "clients", `${name}-${hash("sha256", pinned).slice(0, 16)}`);
}

/** Makes a folder as a whole or not at all; two test files may begin it at the same time. */
export async function madeOnce(
  folder: string,
  make: (folder: string) => Promise<void>,
): Promise<string> {
  if (existsSync(folder)) return folder;
  await mkdir(dirname(folder), { recursive: true });
  const unfinished = await mkdtemp(`${folder}.`);
  await make(unfinished);
  await rename(unfinished, folder).catch(async (cause: unknown) => {
    await rm(unfinished, { recursive: true, force: true });
    if (!existsSync(folder)) throw cause;
  });
  return folder;
}
