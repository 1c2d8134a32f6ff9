/**
 * Ids that encode a time: milliseconds since `EPOCH_MS` in the high bits, then 4 bits of node and 8
 * bits of sequence. They fit a JavaScript integer (until 2093) and order rows by time without a
 * time column or its index. Log rows, traces, reservations and ledger entries of one request all
 * carry the same id.
 */
import { randomBytes } from "node:crypto";

export const EPOCH_MS = Date.UTC(2024, 0, 1);
export const idsPerMs = 4096;
const IDS_PER_NODE = 256;
export const nodesMax = idsPerMs / IDS_PER_NODE;

export const computeIdFloor = (ms: number): number =>
  Math.max(0, Math.floor(ms) - EPOCH_MS) * idsPerMs;
export const computeIdTime = (id: number): number => Math.floor(id / idsPerMs) + EPOCH_MS;

/** The number of the process that minted an id. */
export const computeIdNode = (id: number): number => Math.floor((id % idsPerMs) / IDS_PER_NODE);

/** The largest id that a database holds; 0 in an empty one. */
export const newestIdQuery = `select coalesce(max(id), 0) as id from (
  select max(id) as id from logs union all select max(id) from reservations union all select max(billing_id) from ledger
) as newest`;

export interface IdMint {
  (): number;
  /** The time of the newest id, stored or minted. */
  newestAt(): number;
}

/**
 * Mints ids for one node; never repeats or goes back, even when the clock is set back. `newest` is
 * the largest stored id.
 */
export function buildIdMint(node: number, newest: number, now: () => number = Date.now): IdMint {
  let tick = Math.floor(newest / idsPerMs);
  let sequence = IDS_PER_NODE - 1;
  const mint = (): number => {
    const current = now() - EPOCH_MS;
    if (current > tick) {
      tick = current;
      sequence = 0;
    } else if (sequence < IDS_PER_NODE - 1) {
      sequence += 1;
    } else {
      tick += 1;
      sequence = 0;
    }
    return tick * idsPerMs + node * IDS_PER_NODE + sequence;
  };
  return Object.assign(mint, { newestAt: () => tick + EPOCH_MS });
}

/** Clocks that are right differ by less, also those of several nodes. */
export const aheadUnnoticedMs = 5 * 60_000;
/** New rows are dated wrong by this much at most, without the operator's word. */
const aheadMaxMs = 3_600_000;

export type IdsAhead = "little" | "some" | "much";

/**
 * `buildIdsAhead` says by how much the newest id is ahead of the clock: ids do not go back, so new
 * rows continue from that time.
 */
export const buildIdsAhead = (aheadMs: number): IdsAhead =>
  aheadMs <= aheadUnnoticedMs ? "little" : aheadMs <= aheadMaxMs ? "some" : "much";

/** The version-7 uuid of a time id; `findIdFromUuid` is the inverse. */
export function composeUuidFromId(id: number): string {
  const ms = computeIdTime(id).toString(16).padStart(12, "0");
  const low = (id % idsPerMs).toString(16).padStart(3, "0");
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7${low}-8000-000000000000`;
}

export function findIdFromUuid(uuid: string): number | undefined {
  const match = /^([0-9a-f]{8})-([0-9a-f]{4})-7([0-9a-f]{3})-8000-0{12}$/.exec(uuid);
  if (!match) return undefined;
  const [, high = "", middle = "", low = ""] = match;
  const ms = Number.parseInt(high + middle, 16);
  const id = computeIdFloor(ms) + Number.parseInt(low, 16);
  return ms >= EPOCH_MS && Number.isSafeInteger(id) ? id : undefined;
}

/**
 * `X-Oneapi-Request-Id`: UTC time to the millisecond and four digits, 21 in all;
 * `findIdFromRequestId` is the inverse.
 */
export function requestIdFromId(id: number): string {
  const ms = computeIdTime(id);
  const second = Math.floor(ms / 1000);
  if (second !== stampedSecond) {
    stampedSecond = second;
    stamp = new Date(second * 1000).toISOString().slice(0, 19).replace(/\D/g, "");
  }
  return stamp + String((ms % 1000) * 10_000 + (id % idsPerMs)).padStart(7, "0");
}
/**
 * Cached per second: thousands of ids are minted per second, and formatting a date dominates their
 * cost.
 */
let stampedSecond = -1;
let stamp = "";

export function findIdFromRequestId(text: string): number | undefined {
  const match = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d{3})(\d{4})$/.exec(text);
  if (!match) return undefined;
  const [year, month, day, hour, minute, second, milli, low] = match.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const id = computeIdFloor(Date.UTC(year, month - 1, day, hour, minute, second, milli)) + low;
  return requestIdFromId(id) === text ? id : undefined;
}

/**
 * `findIdFromText` takes the uuid of an id, the same without hyphens (a trace id), or the request
 * id.
 */
export function findIdFromText(text: string): number | undefined {
  const hex = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/.exec(
    text.toLowerCase(),
  );
  const uuid = hex ? hex.slice(1).join("-") : text.toLowerCase();
  return findIdFromUuid(uuid) ?? findIdFromRequestId(text);
}

/** A random version-7 uuid, for rows whose id is a plain counter. */
export function readUuid7(now: number): string {
  const random = randomBytes(10);
  random[0] = 0x70 | ((random[0] ?? 0) & 0x0f);
  random[2] = 0x80 | ((random[2] ?? 0) & 0x3f);
  const hex = now.toString(16).padStart(12, "0") + random.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
