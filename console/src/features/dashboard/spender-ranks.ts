/** The rows of the dashboard added up by user, key, model or channel, dearest first. Pure. */
import type { TokenUsage, UserUsage } from "@tollgate/contract/figures/dashboard.ts";
import type { UsageRow } from "./usage-metrics.ts";

/** `SpenderFilter` is what the log is filtered by to show the calls of one spender. */
export type SpenderFilter = {
  username?: string;
  token_name?: string;
  model_name?: string;
  channel?: string;
};

export type Spender = {
  id: string;
  name: string;
  /** `owner` says whose key it is. */
  owner?: string;
  quota: number;
  requests: number;
  failures: number;
  filter: SpenderFilter;
};

export type RankedSpender = Spender & {
  /** `share` is the part of the quota of all listed ones, from 0 to 1. */
  share: number;
};

const shownMax = 8;

/** The dearest ones; what cost nothing is ranked by its calls. */
export function rankSpenders(spenders: readonly Spender[]): RankedSpender[] {
  const sums = new Map<string, Spender>();
  for (const one of spenders) {
    const sum = sums.get(one.id);
    if (sum === undefined) sums.set(one.id, { ...one });
    else {
      sum.quota += one.quota;
      sum.requests += one.requests;
      sum.failures += one.failures;
    }
  }
  const all = [...sums.values()];
  const total = all.reduce((sum, { quota }) => sum + quota, 0);
  return all
    .sort((a, b) => b.quota - a.quota || b.requests - a.requests || a.name.localeCompare(b.name))
    .slice(0, shownMax)
    .map((one) => ({ ...one, share: total === 0 ? 0 : one.quota / total }));
}

type SpenderCounts = { Quota: number; RequestCount: number; failures: number };

/** `buildCounts` adds nothing for figures that a server did not count. */
const buildCounts = ({ Quota, RequestCount, failures }: SpenderCounts) => ({
  quota: Quota || 0,
  requests: RequestCount || 0,
  failures: failures || 0,
});

export const listUserSpenders = (rows: readonly UserUsage[]): Spender[] =>
  rows.map((row) => ({
    id: row.user_uuid,
    name: row.Username,
    ...buildCounts(row),
    filter: { username: row.Username },
  }));

/** A key is told from another of its name by its owner. */
export const listKeySpenders = (rows: readonly TokenUsage[], withOwner: boolean): Spender[] =>
  rows.map((row) => ({
    id: `${row.user_uuid} ${row.TokenName}`,
    name: row.TokenName,
    ...(withOwner && { owner: row.Username }),
    ...buildCounts(row),
    filter: { token_name: row.TokenName, ...(withOwner && { username: row.Username }) },
  }));

export const listModelSpenders = (rows: readonly (UsageRow & { failures: number })[]): Spender[] =>
  rows.map((row) => ({
    id: row.ModelName,
    name: row.ModelName,
    ...buildCounts(row),
    filter: { model_name: row.ModelName },
  }));
