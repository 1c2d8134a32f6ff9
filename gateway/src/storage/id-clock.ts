/**
 * Ids after a clock that was ahead has been set right. Ids never go back, so they go on from the
 * newest one, at a sixteenth of the clock's speed until the clock has passed them. What is stored
 * of such a span tells the right time of every id in it.
 */
import type { Database } from "./database.ts";
import type { ClockSpanRow } from "./tables/record-tables.ts";
import {
  aheadUnnoticedMs,
  buildIdMint,
  computeIdNode,
  computeIdTime,
  type IdMint,
} from "./time-ids.ts";

/**
 * Ids of one millisecond are 256 for a node: at this speed there are 16 for each millisecond that
 * passes.
 */
const slowness = 16;

/** The time at which ids and clock meet, where nothing ends the span before. */
const computeMeetingTime = ({
  started_at,
  from_at,
}: Pick<ClockSpanRow, "started_at" | "from_at">): number =>
  from_at + Math.floor((from_at - started_at) / (slowness - 1));

const computeSlowTime = ({ started_at, from_at }: ClockSpanRow, now: number): number =>
  from_at + Math.floor(Math.max(0, now - started_at) / slowness);

/**
 * `correctIdTime` is the time at which an id was made, to `slowness` milliseconds. `spans` are in
 * order of their start.
 */
export function correctIdTime(spans: readonly ClockSpanRow[], id: number): number {
  const at = computeIdTime(id);
  const node = computeIdNode(id);
  const span = spans.findLast(
    (one) => one.node === node && one.from_at <= at && at <= one.until_at,
  );
  return span ? span.started_at + (at - span.from_at) * slowness : at;
}

/** `clockSpansQuery` sorts by their start, as `correctIdTime` wants them. */
export const clockSpansQuery =
  "select node, started_at, from_at, until_at from clock_spans order by started_at";

/** `readIdTimes` is the time of a row by its id, for rows that are shown. */
export async function readIdTimes({
  sql,
  read,
}: Pick<Database, "sql" | "read">): Promise<(id: number) => number> {
  const spans = await read(sql.selectFrom("clock_spans").selectAll().orderBy("started_at"));
  return spans.length === 0 ? computeIdTime : (id) => correctIdTime(spans, id);
}

/**
 * `followClock` is for a start, and for a clock that was set: from now on the times of ids are told
 * by it.
 */
export async function followClock(db: Pick<Database, "slowIds" | "sql" | "write">): Promise<void> {
  const spans = db.slowIds();
  if (spans.length === 0) return;
  const store = (span: ClockSpanRow) =>
    db.sql
      .insertInto("clock_spans")
      .values(span)
      .onConflict((row) =>
        row.columns(["node", "started_at"]).doUpdateSet({ until_at: span.until_at }),
      );
  await db.write(spans.map((span) => ({ query: store(span) })));
}

export interface IdClock {
  mintId: IdMint;
  /**
   * `slowIds` ends the span that the clock has left and begins one where ids are ahead of it;
   * returns the rows to store.
   */
  slowIds(): ClockSpanRow[];
}

/** `spans` are the stored ones of all nodes, `newest` the largest stored id. */
export function createIdClock(
  node: number,
  { newest, spans, now }: { newest: number; spans: readonly ClockSpanRow[]; now(): number },
): IdClock {
  let span = spans.findLast((one) => one.node === node);
  const read = (): number => {
    const clock = now();
    if (span === undefined) return clock;
    const slow = computeSlowTime(span, clock);
    return slow <= span.until_at ? slow : clock;
  };
  const mintId = buildIdMint(node, newest, read);
  return {
    mintId,
    slowIds() {
      const clock = now();
      const newestAt = mintId.newestAt();
      const isAhead = newestAt - clock > aheadUnnoticedMs;
      const fits = Math.abs(newestAt - read()) <= aheadUnnoticedMs;
      if (fits && isAhead) return [];
      const changed: ClockSpanRow[] = [];
      if (span !== undefined && newestAt < span.until_at)
        changed.push({ ...span, until_at: newestAt });
      span = undefined;
      if (isAhead) {
        const begun = { started_at: clock, from_at: newestAt + 1 };
        span = { node, ...begun, until_at: computeMeetingTime(begun) };
        changed.push(span);
      }
      return changed;
    },
  };
}
