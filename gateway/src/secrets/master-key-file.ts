/**
 * The master key file, and those during a rotation: the next key is written before anything is
 * sealed with it.
 */
import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { readKeyId } from "./seal.ts";

export const composeMasterKeyPath = (dataDir: string): string => join(dataDir, "master.key");
const composeNextKeyPath = (dataDir: string): string => join(dataDir, "master.key.next");

const readKey = (file: string): Uint8Array =>
  Buffer.from(readFileSync(file, "utf8").trim(), "base64");
const readKeyIfPresent = (file: string): Uint8Array | undefined =>
  existsSync(file) ? readKey(file) : undefined;

export const readMasterKeyFile = (dataDir: string): Uint8Array | undefined =>
  readKeyIfPresent(composeMasterKeyPath(dataDir));

/** Readable by its owner only. Rejects where a file is there already. */
export function makeMasterKeyFile(dataDir: string): Uint8Array {
  const key = randomBytes(32);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  writeFileSync(composeMasterKeyPath(dataDir), `${key.toString("base64")}\n`, {
    mode: 0o600,
    flag: "wx",
  });
  return key;
}

/** The next key of an earlier, interrupted rotation. */
export const readNextKeyFile = (dataDir: string): Uint8Array | undefined =>
  readKeyIfPresent(composeNextKeyPath(dataDir));

export function writeNextKeyFile(dataDir: string, key: Uint8Array): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = composeNextKeyPath(dataDir);
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
 * Replaces the current key file by the next one and keeps the old one under another name. The file
 * exists at every moment: without it, no gateway starts.
 */
export function promoteNextKey(dataDir: string): void {
  const current = composeMasterKeyPath(dataDir);
  if (existsSync(current)) {
    const retiredFile = `${current}.old-${readKeyId(readKey(current))}`;
    if (!existsSync(retiredFile)) linkSync(current, retiredFile);
  }
  renameSync(composeNextKeyPath(dataDir), current);
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
