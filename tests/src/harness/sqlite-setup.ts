/**
 * vitest's global setup of the projects that need databases: SQLite files for the whole run, which
 * tests copy.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeSqliteTemplates } from "./database-templates.ts";

export default async function setup(): Promise<(() => void) | undefined> {
  // Another project of this run has done it.
  if (process.env.TEST_SQLITE_TEMPLATES) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "tollgate-templates-"));
  await writeSqliteTemplates(folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
