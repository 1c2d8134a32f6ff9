import { statfs } from "node:fs/promises";

/** `DiskSpace` is that of the file system which holds a file, in bytes. */
export interface DiskSpace {
  free: number;
  total: number;
}

/**
 * `readDiskSpace` gives what the gateway's own user may still write: some of what is free is kept
 * for the system.
 */
export async function readDiskSpace(file: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(file);
  return { free: bavail * bsize, total: blocks * bsize };
}
