import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findLastBackup, noteBackup } from "./last-backup.ts";

test("the time of a backup is that of the last one noted, and unknown before the first", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-backup-"));
  try {
    expect(await findLastBackup(folder)).toBeUndefined();
    const before = Date.now() - 1_000;
    expect(noteBackup(folder, "/backups/one.db")).toBe(true);
    expect(await findLastBackup(folder)).toBeGreaterThan(before);
    expect(noteBackup(join(folder, "missing"), "/backups/one.db")).toBe(false);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
