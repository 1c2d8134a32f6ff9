/** Streams a FOCUS export day by day, so that memory is bounded for any number of calls. */
import { channelTypes } from "@tollgate/contract/channel-types.ts";
import { picodollarsPerUnit } from "../money/price.ts";
import type { LoggedTags } from "../storage/tables/call-tables.ts";
import { type FocusSite, focusHead, focusLine } from "./focus-csv.ts";
import { adjustment, type FocusRow, type FocusSubject, sumFocusCalls } from "./focus-day.ts";
import type { CountedUser, FocusLogRow, FocusStore } from "./focus-store.ts";

/** Subjects and usages that are summed at once: the sums of a day with more of them are written in several rows. */
const sumsMax = 20_000;

const publishers: ReadonlyMap<number, string> = new Map(channelTypes.map(({ id, name }) => [id, name]));

interface FocusSpan {
  /** UTC days since 1970, both inclusive. */
  first: number;
  last: number;
  /** Undefined: of all users. */
  userId: number | undefined;
  /** Undefined: all. */
  rowsMax?: number | undefined;
}

export async function* focusCsv(
  store: FocusStore,
  site: FocusSite,
  { first, last, userId, rowsMax = Number.POSITIVE_INFINITY }: FocusSpan,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  yield encoder.encode(focusHead(site));
  let left = rowsMax;
  for (let day = first; day <= last; day += 1)
    for await (const rows of rowsOfDay(store, day, userId)) {
      const lines = rows.slice(0, left).map((row) => focusLine(row, site));
      yield encoder.encode(lines.join(""));
      left -= lines.length;
      if (left === 0) return;
    }
}

async function* rowsOfDay(store: FocusStore, day: number, userId: number | undefined): AsyncGenerator<FocusRow[]> {
  // Before the rows: a call that ends meanwhile adds a row that the roll-ups do not count yet, never the other way round.
  const counted = await store.countedQuota(day, userId);
  const inRows = new Map<number, number>();
  const sums = sumFocusCalls(day);
  for (let after = 0; ; ) {
    const calls = await store.callsOfDay(day, userId, after);
    for (const call of calls) {
      inRows.set(call.user_id, (inRows.get(call.user_id) ?? 0) + call.quota);
      sums.add({ subject: subjectOf(call), log: call });
    }
    const last = calls.at(-1);
    if (!last) break;
    after = last.id;
    // Also between the pages of a long day, so that a client that left ends the export.
    yield sums.size() >= sumsMax ? sums.take() : [];
  }
  yield sums.take();
  yield counted.flatMap((user) => deletedRows(day, user, user.quota - (inRows.get(user.user_id) ?? 0)));
}

const payer = (id: number, uuid: string | null, name: string | null) => ({
  id: uuid ?? `user-${id}`,
  name: name ?? `user-${id}`,
});

const subjectOf = (call: FocusLogRow): FocusSubject => ({
  user: payer(call.user_id, call.user_uuid, call.username ?? call.logged_username),
  key: { id: call.token_uuid ?? `key-${call.token_id}`, name: call.token_name },
  model: call.model_name,
  publisher: call.channel_type === null ? undefined : publishers.get(call.channel_type),
  tags: countedTags(call.tags),
});

function countedTags(json: string | null): string | undefined {
  const { counted }: LoggedTags = json === null ? {} : JSON.parse(json);
  return counted && JSON.stringify(counted);
}

/** The roll-ups outlive the log: what they count beyond its rows is billed all the same. */
function deletedRows(day: number, user: CountedUser, quota: number): FocusRow[] {
  if (quota <= 0) return [];
  const subject = {
    user: payer(user.user_id, user.user_uuid, user.username),
    key: undefined,
    model: undefined,
    publisher: undefined,
    tags: undefined,
  };
  return [adjustment(day, { subject, calls: 0, kind: "rows_deleted", cost: BigInt(quota) * picodollarsPerUnit })];
}
