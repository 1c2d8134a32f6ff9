/**
 * Networks from which each key is used, by UTC day. A node remembers those that it has seen and
 * writes only new ones, apart from calls: a key that stays where it is costs a row each day.
 */

import { networksCountedMax } from "@tollgate/contract/accounts/key-hygiene.ts";
import { findNetwork } from "@tollgate/contract/api/cidr.ts";
import { sql as raw } from "kysely";
import type { OptionReader } from "../../settings/live-options.ts";
import type { Database, Write } from "../../storage/database.ts";
import { runEvery } from "../../storage/run-every.ts";
import type { KeyNetworkRow } from "../../storage/tables/token-tables.ts";

const dayMs = 86_400_000;
const writeEveryMs = 20_000;
/**
 * `rememberedMax` is for all keys on one node and day, each some 100 bytes. Further ones are not
 * counted until the next day.
 */
const rememberedMax = 100_000;
/** Rows of one statement: its parameters are limited, at 32,766 on SQLite. */
const rowsPerStatement = 200;
/** However long the log is kept. */
const keptDays = 30;
const removedAtOnce = 1_000;
/** `removalsMax` is that of one run: the next one continues. */
const removalsMax = 200;

/** The most networks on one day that a key may be used from; 0 where they are not counted. */
export const countAllowedNetworks = (options: Pick<OptionReader, "number">): number =>
  options.number("KeyNetworksThreshold");

const computeUtcDay = (ms: number): number => Math.floor(ms / dayMs);
/** `day` counts from 1970. */
export const computeDayStartMs = (day: number): number => day * dayMs;

interface KeyNetworksDeps {
  db: Pick<Database, "sql" | "write">;
  options: Pick<OptionReader, "number">;
  now(): number;
  onError(error: unknown): void;
}

export interface KeyNetworks {
  /** The key was used from this address. Writes nothing itself. */
  note(tokenId: number, address: string): void;
  /** Writes what is not written yet. */
  close(): Promise<void>;
}

export function createKeyNetworks({ db, options, now, onError }: KeyNetworksDeps): KeyNetworks {
  let today = 0;
  let remembered = 0;
  const networksOfKeys = new Map<number, Set<string>>();
  let waiting: KeyNetworkRow[] = [];

  function startDay(day: number): void {
    today = day;
    remembered = 0;
    networksOfKeys.clear();
  }

  function note(tokenId: number, address: string): void {
    if (countAllowedNetworks(options) === 0) return;
    const day = computeUtcDay(now());
    if (day !== today) startDay(day);
    const networks = networksOfKeys.get(tokenId);
    if (
      Math.max(remembered, waiting.length) >= rememberedMax ||
      (networks?.size ?? 0) >= networksCountedMax
    )
      return;
    const network = findNetwork(address);
    if (network === undefined || networks?.has(network)) return;
    if (networks) networks.add(network);
    else networksOfKeys.set(tokenId, new Set([network]));
    remembered += 1;
    waiting.push({ token_id: tokenId, day, network });
  }

  /** A failure leaves the rest for the next time. */
  async function write(): Promise<void> {
    while (waiting.length > 0) {
      const rows = waiting.slice(0, rowsPerStatement);
      // Another node, or this one before it was started again, may have written the same.
      const insert = db.sql
        .insertInto("key_networks")
        .values(rows)
        .onConflict((known) => known.doNothing());
      await db.write([{ query: insert }]);
      waiting = waiting.slice(rows.length);
    }
  }
  const stop = runEvery(writeEveryMs, write, onError);

  return {
    note,
    async close() {
      await stop();
      await write().catch(onError);
    },
  };
}

/**
 * Deletes what is older than 30 days or than the log, and what belongs to deleted keys; everything
 * where networks are not counted.
 */
export async function removeKeyNetworks(
  db: Pick<Database, "sql" | "write">,
  options: Pick<OptionReader, "number">,
  { now, signal }: { now: number; signal: AbortSignal },
): Promise<void> {
  const logDays = options.number("LogRetentionDays");
  const isCounted = countAllowedNetworks(options) > 0;
  const days = logDays > 0 ? Math.min(logDays, keptDays) : keptDays;
  for (let removal = 0; removal < removalsMax && !signal.aborted; removal += 1) {
    const [step] = await db.write([
      removeSome(db, isCounted ? computeUtcDay(now) - days : computeUtcDay(now) + 1),
    ]);
    if (!step || step.affected < removedAtOnce) return;
  }
}

const removeSome = ({ sql }: Pick<Database, "sql">, before: number): Write => ({
  query: sql.deleteFrom("key_networks").where(
    raw<boolean>`(token_id, day, network) in (select token_id, day, network from key_networks
      where day < ${before} or not exists (select 1 from tokens where tokens.id = key_networks.token_id)
      limit ${raw.lit(removedAtOnce)})`,
  ),
});
