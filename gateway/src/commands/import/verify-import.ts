/**
 * Compares a source with what was carried from it: accounts, balances, counters, keys that open,
 * codes, channels, and prices; and what was carried with the source, where it may be deleted.
 */
import { isGone, streamCarriedRows } from "./carried-rows.ts";
import {
  type Compared,
  type ComparedKind,
  channels,
  codes,
  type SourceItem,
  tokens,
  users,
} from "./compared-kinds.ts";
import { teams } from "./compared-teams.ts";
import type { ImportDifference, VerifyRun } from "./import-differences.ts";
import {
  followedKinds,
  type ImportEntity,
  type Reading,
  type SourceTeam,
  type SourceUser,
} from "./import-items.ts";
import { createSourcePresence, type SourcePresence } from "./source-presence.ts";
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
  const differ: Differ = (difference) => {
    if (differences.length < differencesMax) differences.push(difference);
  };
  const count = (entity: ImportEntity, isLeft: boolean): void => {
    const counts = isLeft ? left : compared;
    counts[entity] = (counts[entity] ?? 0) + 1;
  };
  const presence = createSourcePresence();
  const told = { differ, count, presence };
  for await (const page of run.source.users())
    await comparePage(run, users, await omitTeams(run, page), told);
  for await (const page of run.source.teams())
    await comparePage(run, teams, await omitAccounts(run, page), told);
  for await (const page of run.source.tokens()) await comparePage(run, tokens, page, told);
  for await (const page of run.source.codes()) await comparePage(run, codes, page, told);
  for await (const page of run.source.channels()) await comparePage(run, channels, page, told);
  await findDeleted(run, presence, differ);
  const prices = await verifyPrices(run);
  if (prices.compared > 0) compared.call = prices.compared;
  prices.differences.forEach(differ);
  const logs = await verifyLogs(run);
  if (logs.compared > 0) compared.log = logs.compared;
  logs.differences.forEach(differ);
  return { compared, left, differences };
}

type Page<Item> = readonly Reading<Item>[];

/** Accounts that stand for teams are none here, unless an earlier run made them. */
async function omitTeams(
  { imported }: VerifyRun,
  page: Page<SourceUser>,
): Promise<Page<SourceUser>> {
  const isTeam = ({ item }: Reading<SourceUser>) => item?.teamSourceId !== undefined;
  const known = await imported.known(
    "user",
    page.filter(isTeam).map(({ sourceId }) => sourceId),
  );
  return page.filter((reading) => !isTeam(reading) || known.has(reading.sourceId));
}

async function omitAccounts(
  { imported }: VerifyRun,
  page: Page<SourceTeam>,
): Promise<Page<SourceTeam>> {
  const accounts = await imported.known(
    "user",
    page.flatMap(({ item }) => item?.accountSourceId ?? []),
  );
  return page.filter(({ item }) => item === undefined || !accounts.has(item.accountSourceId));
}

type Differ = (difference: ImportDifference) => void;

/** `findDeleted` is about the kinds that are read whole. */
async function findDeleted(
  run: VerifyRun,
  presence: SourcePresence,
  differ: Differ,
): Promise<void> {
  const { parts, made } = await run.source.reach();
  for (const kind of followedKinds.filter((kind) => parts[kind] !== undefined))
    for await (const page of streamCarriedRows(run, kind))
      for (const row of page)
        if (row.isOpen && isGone(row, presence, made))
          differ({
            entity: kind,
            sourceId: row.sourceId,
            name: row.name,
            what: "deleted",
            theirs: "deleted",
            ours: "enabled",
          });
}

async function comparePage<Item>(
  run: VerifyRun,
  { entity, nameOf, compare, left }: ComparedKind<Item>,
  page: readonly Reading<Item>[],
  {
    differ,
    count,
    presence,
  }: {
    differ: Differ;
    count(entity: ImportEntity, isLeft: boolean): void;
    presence: SourcePresence;
  },
): Promise<void> {
  presence.note(entity, page);
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
      differ({
        entity,
        sourceId,
        name: nameOf(item),
        what: "missing",
        theirs: "there",
        ours: "not carried",
      });
  }
  for (const _ of rows) count(entity, false);
  const names = new Map(rows.map(({ sourceId, item }) => [sourceId, nameOf(item)]));
  await compare(run, rows, (sourceId, difference) =>
    differ({ entity, sourceId, name: names.get(sourceId) ?? "", ...difference }),
  );
}
