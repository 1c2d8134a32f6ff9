/**
 * The things that the writers of one run share: where it reads, where it writes, and how a batch is
 * written.
 */
import type { ExternalAccountProvider } from "@tollgate/contract/accounts/external-sign-in.ts";
import type { BudgetStore } from "../../accounts/budgets/budget-store.ts";
import type { OidcProviderStore } from "../../accounts/identity/oidc/oidc-provider-store.ts";
import type { UserStore } from "../../accounts/identity/users/user-store.ts";
import type { RedemptionStore } from "../../accounts/redemptions/redemption-store.ts";
import type { TeamStore } from "../../accounts/teams/team-store.ts";
import type { TokenStore } from "../../accounts/tokens/token-store.ts";
import type { ChannelKeyStore } from "../../catalogue/channels/channel-key-store.ts";
import type { ChannelStore } from "../../catalogue/channels/channel-store.ts";
import type { VirtualModelStore } from "../../catalogue/models/virtual-model-store.ts";
import type { ShadowStore } from "../../figures/shadow/shadow-store.ts";
import type { Sealer } from "../../secrets/seal.ts";
import type { OptionStore } from "../../settings/option-store.ts";
import {
  type ChangeTopic,
  type Database,
  RejectedWrite,
  type Write,
} from "../../storage/database.ts";
import type { ImportEntity, ImportSource, Loss, Reading } from "./import-items.ts";
import type { EntityCounts, ImportReport } from "./import-report.ts";
import type { ImportStore } from "./import-store.ts";
import { isDeleted, type SourcePresence } from "./source-presence.ts";
import type { ImportPrivateHosts } from "./writers/refused-addresses.ts";

export interface ImportStores {
  imported: ImportStore;
  users: UserStore;
  teams: Pick<TeamStore, "insert" | "putMember" | "update">;
  budgets: Pick<BudgetStore, "insert">;
  tokens: TokenStore;
  channels: ChannelStore;
  channelKeys: ChannelKeyStore;
  virtualModels: VirtualModelStore;
  redemptions: RedemptionStore;
  options: OptionStore;
  oidcProviders: OidcProviderStore;
  shadow: ShadowStore;
}

export interface ImportRun extends ImportStores {
  db: Database;
  seal: Sealer;
  source: ImportSource;
  report: ImportReport;
  /** Nothing is written: the report says what would be. */
  isPlan: boolean;
  /** The operator's name for the other system. */
  sourceName: string;
  /**
   * `logsSinceMs` is the moment from which log rows are carried; undefined where the log is not
   * carried.
   */
  logsSinceMs: number | undefined;
  /**
   * `followedDeletions` says how many rows that are deleted in the source may be disabled here,
   * where they are many.
   */
  followedDeletions: number | undefined;
  /** Later runs of this source follow no deletions any more. */
  isCutOver: boolean;
  /** `privateHosts` says which private hosts this gateway may call. */
  privateHosts: ImportPrivateHosts;
  /** Names of accounts of role 100 that keep it. */
  keepRoot: ReadonlySet<string>;
  /** `seen` is what the rows so far have named; in a plan none of them is stored. */
  seen: {
    userSourceIds: Set<string>;
    groups: Set<string>;
    /**
     * `oidcAccounts` says whose people the source's OpenID Connect accounts are; undefined where
     * its provider is not here.
     */
    oidcAccounts: ExternalAccountProvider | undefined;
    presence: SourcePresence;
  };
  /** Whom the record of changes names; 0 is the command. */
  actor: { id: number; address: string };
  now: number;
}

/** `ImportRow` is one row of the source that is carried, or was. */
export interface ImportRow {
  entity: ImportEntity;
  sourceId: string;
  name: string;
  outcome: Exclude<keyof EntityCounts, "left">;
}

/** `ImportWrite` comes with statements of its own: all of them are written, or none. */
export interface ImportWrite extends ImportRow {
  writes: readonly Write[];
}

export const importChanges: readonly ChangeTopic[] = [
  "users",
  "teams",
  "tokens",
  "budgets",
  "channels",
  "options",
];

export const commit = (run: ImportRun, rows: readonly ImportWrite[]): Promise<void> =>
  commitTogether(run, rows, (some) => some.flatMap(({ writes }) => writes));

/**
 * Writes rows together, for speed, with the statements that `writesOf` makes of any number of them.
 * A row that the database refuses costs a line and not its neighbours: it is found by halves.
 */
export async function commitTogether<Row extends ImportRow>(
  run: ImportRun,
  rows: readonly Row[],
  writesOf: (rows: readonly Row[]) => readonly Write[],
): Promise<void> {
  const done = (row: Row): void => run.report.count(row.entity, row.outcome);
  const batch = run.isPlan ? [] : writesOf(rows);
  if (batch.length === 0) {
    rows.forEach(done);
    return;
  }
  try {
    await run.db.write(batch, { changes: importChanges });
    rows.forEach(done);
  } catch (error) {
    if (!(error instanceof RejectedWrite)) throw error;
    const [row, next] = rows;
    if (row && next === undefined)
      leave(run, row, [{ ...buildLoss(row), reason: "row_refused", value: error.message }]);
    else
      for (const half of splitIntoBatches(rows, Math.ceil(rows.length / 2)))
        await commitTogether(run, half, writesOf);
  }
}

const buildLoss = ({
  entity,
  sourceId,
  name,
}: Pick<ImportRow, "entity" | "sourceId" | "name">) => ({
  entity,
  sourceId,
  name,
  field: "",
});

/** A row that is not carried. */
export function leave(
  { report }: Pick<ImportRun, "report">,
  { entity }: { entity: ImportEntity },
  losses: readonly Loss[],
): void {
  report.count(entity, "left");
  report.lose(...losses);
}

/**
 * A row without an item. That a carried one is deleted in the source is said once the run has found
 * all of them.
 */
export function leaveUnread(
  run: Pick<ImportRun, "report">,
  entity: ImportEntity,
  reading: Reading<unknown>,
  isCarried: boolean,
): void {
  if (isCarried && isDeleted(reading)) return;
  leave(run, { entity }, reading.losses);
}

/** `findCarried` gives what earlier runs carried of these rows, by their ids in the source. */
export const findCarried = (
  { imported }: Pick<ImportRun, "imported">,
  entity: ImportEntity,
  readings: readonly Pick<Reading<unknown>, "sourceId">[],
): ReturnType<ImportStore["known"]> =>
  imported.known(
    entity,
    readings.map(({ sourceId }) => sourceId),
  );

/** Rows are written this many at a time: both databases take the parameters of as many accounts. */
export const rowsPerBatch = 500;

export function* splitIntoBatches<Item>(
  items: readonly Item[],
  size = rowsPerBatch,
): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
