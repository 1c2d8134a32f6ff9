/**
 * `tollgate audit --usage`: compares what calls were charged for with what their providers
 * reported, as the log rows keep both. The counts are read here from the reported members
 * themselves, independently of the code that charged them.
 */
import { type LoggedUsage, loggedUsage } from "@tollgate/contract/figures/logs.ts";
import type { Database } from "../../storage/database.ts";
import { computeIdFloor } from "../../storage/time-ids.ts";
import { formatTokens, readReportedTotals, type TokenTotals } from "./reported-totals.ts";
import type { UsageAuditRange } from "./usage-audit-range.ts";

/** The charged calls of one channel and model whose provider has reported usage. */
export interface UsageAuditGroup {
  channelId: number;
  channelName: string;
  model: string;
  calls: number;
  quota: number;
  reported: TokenTotals;
  charged: TokenTotals;
}

/** Calls that were charged by an estimate, for one reason. */
export interface EstimatedCalls {
  reason: string;
  calls: number;
  quota: number;
  /** The first rows, `rowsListedMax` at most. */
  logIds: number[];
}

/**
 * A call that was charged for fewer tokens than its provider's final count, for no recorded reason.
 */
export interface UsageMismatch {
  logId: number;
  reported: TokenTotals;
  charged: TokenTotals;
}

export interface UsageAudit {
  /** Calls that cost something. */
  calls: number;
  /**
   * Calls whose row holds nothing that a provider reported, and no reason either: rows of before
   * 0.2.0.
   */
  withoutRecord: number;
  groups: UsageAuditGroup[];
  estimated: EstimatedCalls[];
  /** Calls by count that the gateway does not know, and so did not charge. */
  unknown: Map<string, number>;
  mismatchCount: number;
  /** The first ones, `rowsListedMax` at most. */
  mismatches: UsageMismatch[];
}

/** The audit reads any number of rows and keeps few of them. */
const pageSize = 5_000;
export const rowsListedMax = 20;

interface AuditedRow {
  id: number;
  channel_id: number;
  channel_name: string;
  model_name: string;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
  usage_details: string | null;
}

/**
 * Reads the rows in pages, so the database may be in use; calls that end meanwhile may be missing.
 */
export async function auditUsage(
  db: Database,
  { from, to, channelId }: Omit<UsageAuditRange, "thresholdPercent">,
): Promise<UsageAudit> {
  const audit = createUsageAudit();
  let after = computeIdFloor(from) - 1;
  while (true) {
    let query = db.sql
      .selectFrom("logs")
      .select([
        "id",
        "channel_id",
        "channel_name",
        "model_name",
        "quota",
        "prompt_tokens",
        "completion_tokens",
      ])
      .select("usage_details")
      .where("type", "=", 2)
      .where("id", ">", after)
      .where("id", "<", computeIdFloor(to))
      .orderBy("id")
      .limit(pageSize);
    if (channelId !== undefined) query = query.where("channel_id", "=", channelId);
    const rows: AuditedRow[] = await db.read(query);
    for (const row of rows) audit.add(row);
    const last = rows.at(-1);
    if (!last || rows.length < pageSize) return audit.result();
    after = last.id;
  }
}

/** Judges rows one by one; pure apart from its sums. */
export function createUsageAudit(): { add(row: AuditedRow): void; result(): UsageAudit } {
  const groups = new Map<string, UsageAuditGroup>();
  const estimated = new Map<string, EstimatedCalls>();
  const unknown = new Map<string, number>();
  const mismatches: UsageMismatch[] = [];
  let calls = 0;
  let withoutRecord = 0;
  let mismatchCount = 0;

  function addEstimated(reason: string, { id, quota }: AuditedRow): void {
    const sums = estimated.get(reason) ?? { reason, calls: 0, quota: 0, logIds: [] };
    sums.calls += 1;
    sums.quota += quota;
    if (sums.logIds.length < rowsListedMax) sums.logIds.push(id);
    estimated.set(reason, sums);
  }

  function addReported(row: AuditedRow, reported: TokenTotals, charged: TokenTotals): void {
    const key = JSON.stringify([row.channel_id, row.model_name]);
    const group = groups.get(key) ?? {
      channelId: row.channel_id,
      channelName: row.channel_name,
      model: row.model_name,
      calls: 0,
      quota: 0,
      reported: { prompt: 0, completion: 0 },
      charged: { prompt: 0, completion: 0 },
    };
    group.calls += 1;
    group.quota += row.quota;
    for (const part of ["prompt", "completion"] as const) {
      group.reported[part] += reported[part];
      group.charged[part] += charged[part];
    }
    groups.set(key, group);
  }

  return {
    add(row) {
      const details = parseDetails(row.usage_details);
      const reported = details && readReportedTotals(details);
      const charged = { prompt: row.prompt_tokens, completion: row.completion_tokens };
      const isFree = row.quota === 0 && charged.prompt === 0 && charged.completion === 0;
      if (isFree && !reported) return;
      calls += 1;
      for (const path of details?.unknown ?? []) unknown.set(path, (unknown.get(path) ?? 0) + 1);
      if (details?.reason !== undefined) addEstimated(details.reason, row);
      else if (!details) withoutRecord += 1;
      if (!reported) return;
      addReported(row, reported, charged);
      const isExplained =
        details?.reason !== undefined || (details?.marks ?? []).some((mark) => lowering.has(mark));
      const isLess = charged.prompt < reported.prompt || charged.completion < reported.completion;
      if (isExplained || !isLess) return;
      mismatchCount += 1;
      if (mismatches.length < rowsListedMax) mismatches.push({ logId: row.id, reported, charged });
    },
    result: () => ({
      calls,
      withoutRecord,
      groups: [...groups.values()],
      estimated: [...estimated.values()],
      unknown,
      mismatchCount,
      mismatches,
    }),
  };
}

/** Marks with which less than the reported count is charged. */
const lowering = new Set(["usage_capped", "usage_corrected"]);

function parseDetails(json: string | null): LoggedUsage | undefined {
  if (json === null) return undefined;
  const { success, data } = loggedUsage.safeParse(JSON.parse(json));
  return success ? data : undefined;
}

/** The lines of `tollgate audit --usage`. */
export function formatUsageAuditLines(audit: UsageAudit): string[] {
  const { calls, withoutRecord, groups, estimated, unknown, mismatchCount, mismatches } = audit;
  return [
    `${calls} calls with usage; ${withoutRecord} of them without a record of what the provider reported.`,
    ...groups.map(
      ({ channelId, channelName, model, calls: count, quota, reported, charged }) =>
        `channel ${channelId} (${channelName}), ${model}: ${count} calls for ${quota} units; reported ${formatTokens(reported)}, charged ${formatTokens(charged)}`,
    ),
    ...estimated.map(
      ({ reason, calls: count, quota, logIds }) =>
        `estimated, ${reason}: ${count} calls for ${quota} units; rows ${logIds.join(", ")}${count > logIds.length ? ", …" : ""}`,
    ),
    ...[...unknown].map(
      ([path, count]) =>
        `counted by the provider and unknown to the gateway, ${path}: ${count} calls`,
    ),
    ...mismatches.map(
      ({ logId, reported, charged }) =>
        `log ${logId}: reported ${formatTokens(reported)}, charged ${formatTokens(charged)}`,
    ),
    mismatchCount === 0
      ? "No call was charged for less than its provider's final count."
      : `${mismatchCount} calls were charged for less than their provider's final count.`,
  ];
}
