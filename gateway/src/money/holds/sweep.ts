/**
 * Ends the holds without a living owner: recorded deliveries are settled, everything else is
 * released. Runs at the start and every few seconds.
 */
import type { TraceRecord } from "@tollgate/contract/figures/traces.ts";
import type { Database } from "../../storage/database.ts";
import type { SettleCommand } from "../../storage/money-commands.ts";
import type { LogRow } from "../../storage/tables/call-tables.ts";
import type { ReservationRow } from "../../storage/tables/money-tables.ts";
import { type CallSnapshot, callLogRow } from "../call-log-row.ts";
import { callCost } from "../prices/buying-price.ts";
import { buildLoggedPrice, charge, thawPrice, type Usage } from "../prices/price.ts";
import type { ProgressRecord } from "./running-attempt.ts";

const batchSize = 500;

export interface SweepOptions {
  now: number;
  /**
   * `isLive` says whether a hold belongs to a running call of this process; such holds are never
   * touched.
   */
  isLive(id: number): boolean;
  /**
   * Holds of our own node number with smaller ids were left behind by an earlier process: their
   * lease is ignored.
   */
  startedAtId: number;
  /** `onShortfall` is called as for holds of running calls. */
  onShortfall?(channelId: number): void;
  /** A hold was settled with what was recorded, or released where nothing was. */
  onEnd?(settled: { log: LogRow; usage: Usage } | undefined): void;
}

/** Returns how many holds were ended. */
export async function sweep(
  db: Database,
  { now, isLive, startedAtId, onShortfall, onEnd }: SweepOptions,
): Promise<number> {
  const rows = await db.read(
    db.sql
      .selectFrom("reservations")
      .selectAll()
      .where((row) =>
        row.or([
          row("lease_until", "<", now),
          row.and([row("node", "=", db.node), row("id", "<", startedAtId)]),
        ]),
      )
      // The hold of a batch or video belongs to the provider's work, which outlives every process
      // (relay/batches, relay/videos).
      .where(
        "id",
        "not in",
        db.sql.selectFrom("provider_batches").select("id").where("state", "<>", "settled"),
      )
      .where(
        "id",
        "not in",
        db.sql.selectFrom("video_tasks").select("id").where("state", "<>", "settled"),
      )
      .orderBy("id")
      .limit(batchSize),
  );
  const orphans = rows.filter(({ id }) => !isLive(id));
  for (const row of orphans) {
    const settlement = readSettlement(row);
    const command = settlement
      ? ({ verb: "settle", id: row.id, ...settlement.command } as const)
      : ({ verb: "release", id: row.id } as const);
    if ((await db.money(command)) === "short" && settlement)
      onShortfall?.(settlement.command.log.channel_id);
    onEnd?.(settlement && { log: settlement.command.log, usage: settlement.usage });
  }
  return orphans.length;
}

interface SweptSettlement {
  command: Omit<SettleCommand, "verb" | "id">;
  usage: Usage;
}

/**
 * The settlement of an orphaned hold; undefined when no delivery was recorded or the record is
 * unreadable.
 */
function readSettlement(row: ReservationRow): SweptSettlement | undefined {
  if (row.progress === null) return undefined;
  let snapshot: CallSnapshot;
  let progress: ProgressRecord;
  let quota: number;
  try {
    snapshot = JSON.parse(row.snapshot) as CallSnapshot;
    progress = JSON.parse(row.progress) as ProgressRecord;
    quota = charge(thawPrice(progress.price), progress.usage, progress.price.group_ratio);
  } catch {
    return undefined;
  }
  const log = callLogRow(snapshot, {
    id: row.id,
    userId: row.user_id,
    tokenId: row.token_id,
    channelId: progress.channel_id,
    channelName: progress.channel_name,
    model: progress.model,
    quota,
    usage: progress.usage,
    outcome: "interrupted",
    content: "the gateway stopped during this call; charged for what was recorded as delivered",
    elapsedMs: 0,
    price: JSON.stringify(buildLoggedPrice(progress.price, progress.usage)),
    costNanos: callCost(progress.price, progress.usage),
  });
  const trace: TraceRecord = {
    url: snapshot.url,
    method: snapshot.method,
    body_size: snapshot.body_size,
    status: 0,
    timestamps: { request_received: snapshot.received_at },
    attempts: [],
    candidates: [],
  };
  const command = {
    charge: quota,
    log,
    trace: JSON.stringify(trace),
    target: progress.target,
    hasBudgets: row.budgets !== null,
  };
  return { command, usage: progress.usage };
}
