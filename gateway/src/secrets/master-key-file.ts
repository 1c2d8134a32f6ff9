/** The files of a master key that is being changed: the next one is kept before anything is sealed with it. */
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { keyIdOf } from "./seal.ts";

const masterKeyFile = (dataDir: string): string => join(dataDir, "master.key");
const nextFile = (dataDir: string): string => join(dataDir, "master.key.next");

const readKey = (file: string): Uint8Array => Buffer.from(readFileSync(file, "utf8").trim(), "base64");
const keyIn = (file: string): Uint8Array | undefined => (existsSync(file) ? readKey(file) : undefined);

export const keptMasterKey = (dataDir: string): Uint8Array | undefined => keyIn(masterKeyFile(dataDir));
/** The key that an earlier, broken off change has begun with. */
export const keptNextKey = (dataDir: string): Uint8Array | undefined => keyIn(nextFile(dataDir));

export function keepNextKey(dataDir: string, key: Uint8Array): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = nextFile(dataDir);
  const unfinished = `${file}.${process.pid}.unfinished`;
  const handle = openSync(unfinished, "wx", 0o600);
  try {
    writeSync(handle, `${Buffer.from(key).toString("base64")}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(unfinished, file);
  syncFolder(dataDir);
}

/**
 * Puts the next key in the place of the current one, which keeps a name of its own. At no moment is there none: a start
 * would make up a third one.
 */
export function useNextKey(dataDir: string): void {
  const current = masterKeyFile(dataDir);
  if (existsSync(current)) {
    const kept = `${current}.old-${keyIdOf(readKey(current))}`;
    if (!existsSync(kept)) linkSync(current, kept);
  }
  renameSync(nextFile(dataDir), current);
  syncFolder(dataDir);
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
