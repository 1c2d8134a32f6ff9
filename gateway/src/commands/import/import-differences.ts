import type { ImportDifferenceKind } from "@tollgate/contract/commands/import-losses.ts";
import type { ImportEntity } from "./import-items.ts";
import type { ImportRun } from "./import-run.ts";

/** `VerifyRun` is what a comparison of a source with what was carried from it reads. */
export type VerifyRun = Pick<
  ImportRun,
  "db" | "seal" | "source" | "imported" | "sourceName" | "now"
>;

export interface ImportDifference {
  entity: ImportEntity;
  sourceId: string;
  name: string;
  what: ImportDifferenceKind;
  theirs: string;
  ours: string;
}
