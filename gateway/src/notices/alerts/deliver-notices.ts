/**
 * Sends what waits in the outbox: to each destination one notice at a time and in order, to all
 * destinations at once. A try is counted and leased before it begins, so that a node that dies
 * between sending and noting it sends twice at most, with the same id.
 */
import type { NoticeTransition } from "@tollgate/contract/notices/destinations.ts";
import { type Database, tryWrite } from "../../storage/database.ts";
import type { NoticeRow } from "../../storage/tables/alert-tables.ts";
import type { GatewayMetrics } from "../../telemetry/gateway-metrics.ts";
import type { DestinationRow, DestinationStore } from "./destination-store.ts";
import { type NoticePayload, readPayload } from "./notice-payload.ts";
import { findNextDigest, findNextTry, leaseMs, sentPerMinuteMax } from "./notice-queue.ts";
import type { NoticeStore } from "./notice-store.ts";
import type { SendNotice } from "./send-notice.ts";

/**
 * `sentPerRunMax` is that of one destination in one run: the others' runs do not wait for it for
 * long.
 */
const sentPerRunMax = 20;
const minuteMs = 60_000;
const answerMax = 300;

export interface DeliverNoticesDeps {
  db: Database;
  destinations: DestinationStore;
  notices: NoticeStore;
  send: SendNotice;
  random(): number;
  clock(): number;
  metrics: Pick<GatewayMetrics, "notices">;
  /** Sends nothing more once it aborts. */
  signal: AbortSignal;
  onError(error: unknown): void;
}

/** Sends until nothing is due. */
export async function deliverDue(
  deps: DeliverNoticesDeps,
  destination: DestinationRow,
): Promise<void> {
  for (let sent = 0; sent < sentPerRunMax && !deps.signal.aborted; sent += 1)
    if (!(await deliverNext(deps, destination))) return;
}

/** `deliverNext` says whether the next notice of this destination may follow at once. */
async function deliverNext(
  deps: DeliverNoticesDeps,
  destination: DestinationRow,
): Promise<boolean> {
  const { db, destinations, notices, send, random, clock, signal, metrics } = deps;
  const waiting = await notices.waiting(destination.id);
  const [head] = waiting;
  const now = clock();
  if (!head || head.lease_until > now) return false;
  const isFull = (await notices.countSentSince(destination.id, now - minuteMs)) >= sentPerMinuteMax;
  const group = findNextDigest(waiting, isFull);
  if (group)
    return (await tryWrite(db, notices.merge(group, composeDigest(db, group, now)))) === undefined;
  if (head.next_at > now || isFull) return false;
  // Of several nodes, one begins the try.
  if (await tryWrite(db, [notices.claim(head, now + leaseMs)])) return false;
  const claimed = { ...head, tries: head.tries + 1 };
  const result = await send(destination, {
    id: composeMessageId(head),
    transition: head.transition as NoticeTransition,
    payload: readPayload(head.payload),
  });
  // A stopping process leaves the try to its lease.
  if (signal.aborted && !result.isDelivered) return false;
  const ended = clock();
  const answer = result.answer.slice(0, answerMax);
  if (result.isDelivered) {
    const sent = { state: "sent", answer, ended_at: ended } as const;
    await db.write([
      notices.endTry(claimed, sent),
      destinations.setFailing(destination.id, undefined),
    ]);
    metrics.notices.child(destination.kind, "sent").add(1);
    return true;
  }
  const next = result.isGone
    ? undefined
    : findNextTry(claimed.tries, ended, result.retryAfterMs, random());
  const failed =
    next === undefined
      ? { state: "failed" as const, answer, ended_at: ended }
      : { answer, next_at: next };
  await db.write([
    notices.endTry(claimed, failed),
    destinations.setFailing(destination.id, { from: ended }),
    ...(result.isGone ? [destinations.disable(destination.id, "gone")] : []),
  ]);
  metrics.notices.child(destination.kind, next === undefined ? "failed" : "retried").add(1);
  return next === undefined && !result.isGone;
}

/** The id at the receiver: the same in every try. */
export const composeMessageId = ({ id }: Pick<NoticeRow, "id">): string => `msg_${id}`;

function composeDigest(
  db: Pick<Database, "mintId">,
  group: readonly NoticeRow[],
  now: number,
): NoticeRow {
  const [first] = group;
  if (!first) throw new TypeError("a digest of nothing");
  const payload: NoticePayload = {
    alerts: group.flatMap((notice) => readPayload(notice.payload).alerts),
  };
  return {
    ...first,
    id: db.mintId(),
    alert_id: 0,
    transition: "digest",
    since: first.id,
    payload: JSON.stringify(payload),
    next_at: now,
    created_at: now,
  };
}
