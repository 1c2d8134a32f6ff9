/** What docs/operations.md tells an operator to type after a master key is lost for good. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryDir } from "../harness/repository-dir.ts";

/** One statement each, in the order of the page. */
export function listLostKeyStatements(): string[] {
  const page = readFileSync(join(repositoryDir, "docs/operations.md"), "utf8");
  const [, block = ""] = /\*\*lost\*\* for good[\s\S]*?```sql\n([\s\S]*?)```/.exec(page) ?? [];
  return block
    .split(";")
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");
}
