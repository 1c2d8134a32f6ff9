/** Compares a source with what was carried from it: accounts, balances, counters, keys that open, codes, and prices. */

import { type Compared, type ComparedKind, codes, type SourceItem, tokens, users } from "./compared-kinds.ts";
import type { ImportDifference, VerifyRun } from "./import-differences.ts";
import type { ImportEntity } from "./import-items.ts";
import { verifyLogs } from "./verify-logs.ts";
import { verifyPrices } from "./verify-prices.ts";

export interface ImportComparison {
  /** Rows that were compared, by entity. */
  compared: Partial<Record<ImportEntity | "call", number>>;
  /** Rows that an import does not carry, each with a line in its report. */
  left: Partial<Record<ImportEntity, number>>;
  differences: readonly ImportDifference[];
}

const differencesMax = 10_000;

export async function verifyImport(run: VerifyRun): Promise<ImportComparison> {
  const differences: ImportDifference[] = [];
  const compared: ImportComparison["compared"] = {};
  const left: ImportComparison["left"] = {};
  const differ = (difference: ImportDifference): void => {
    if (differences.length < differencesMax) differences.push(difference);
  };
  const count = (entity: ImportEntity, isLeft: boolean): void => {
    const counts = isLeft ? left : compared;
    counts[entity] = (counts[entity] ?? 0) + 1;
  };
  const told = { differ, count };
  for await (const page of run.source.users()) await comparePage(run, users, page, told);
  for await (const page of run.source.tokens()) await comparePage(run, tokens, page, told);
  for await (const page of run.source.codes()) await comparePage(run, codes, page, told);
  const prices = await verifyPrices(run);
  if (prices.compared > 0) compared.call = prices.compared;
  prices.differences.forEach(differ);
  const logs = await verifyLogs(run);
  if (logs.compared > 0) compared.log = logs.compared;
  logs.differences.forEach(differ);
  return { compared, left, differences };
}

async function comparePage<Item>(
  run: VerifyRun,
  { entity, nameOf, compare, left }: ComparedKind<Item>,
  page: readonly { sourceId: string; item: Item | undefined }[],
  { differ, count }: { differ(difference: ImportDifference): void; count(entity: ImportEntity, isLeft: boolean): void },
): Promise<void> {
  const ids = page.map(({ sourceId }) => sourceId);
  const known = await run.imported.known(entity, ids);
  const rows: Compared<Item>[] = [];
  const missing: SourceItem<Item>[] = [];
  for (const { sourceId, item } of page) {
    if (!item) continue;
    const ourId = known.get(sourceId)?.ourId;
    if (ourId === undefined) missing.push({ sourceId, item });
    else rows.push({ sourceId, item, ourId });
  }
  const isLeft = await left(
    run,
    missing.map(({ item }) => item),
  );
  for (const { sourceId, item } of missing) {
    count(entity, isLeft(item));
    if (!isLeft(item))
      differ({ entity, sourceId, name: nameOf(item), what: "missing", theirs: "there", ours: "not carried" });
  }
  for (const _ of rows) count(entity, false);
  const names = new Map(rows.map(({ sourceId, item }) => [sourceId, nameOf(item)]));
  await compare(run, rows, (sourceId, difference) =>
    differ({ entity, sourceId, name: names.get(sourceId) ?? "", ...difference }),
  );
}
