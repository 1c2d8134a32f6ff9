/** Streams a FOCUS export day by day, so that memory is bounded for any number of calls. */
import { channelTypes } from "@tollgate/contract/catalogue/channel-types.ts";
import { picodollarsPerUnit } from "../../money/prices/price.ts";
import type { PayerScope } from "../../storage/payer-scope.ts";
import type { LoggedTags } from "../../storage/tables/call-tables.ts";
import { type FocusSite, focusHead, focusLine } from "./focus-csv.ts";
import { adjustment, type FocusRow, type FocusSubject, sumFocusCalls } from "./focus-day.ts";
import type { CountedUser, FocusLogRow, FocusStore } from "./focus-store.ts";

/**
 * Subjects and usages that are summed at once: the sums of a day with more of them are written in
 * several rows.
 */
const sumsMax = 20_000;

const publishers: ReadonlyMap<number, string> = new Map(
  channelTypes.map(({ id, name }) => [id, name]),
);

interface FocusSpan {
  /** UTC days since 1970, both inclusive. */
  first: number;
  last: number;
  payer: PayerScope;
  /** Undefined: all. */
  rowsMax?: number | undefined;
}

export async function* focusCsv(
  store: FocusStore,
  site: FocusSite,
  { first, last, payer, rowsMax = Number.POSITIVE_INFINITY }: FocusSpan,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  yield encoder.encode(focusHead(site));
  let left = rowsMax;
  for (let day = first; day <= last; day += 1)
    for await (const rows of buildRowsOfDay(store, day, payer)) {
      const lines = rows.slice(0, left).map((row) => focusLine(row, site));
      yield encoder.encode(lines.join(""));
      left -= lines.length;
      if (left === 0) return;
    }
}

async function* buildRowsOfDay(
  store: FocusStore,
  day: number,
  payer: PayerScope,
): AsyncGenerator<FocusRow[]> {
  // Before the rows: a call that ends meanwhile adds a row that the roll-ups do not count yet,
  // never the other way round.
  const counted = await store.countedQuota(day, payer);
  const inRows = new Map<number, number>();
  const sums = sumFocusCalls(day);
  for (let after = 0; ; ) {
    const calls = await store.callsOfDay(day, payer, after);
    for (const call of calls) {
      inRows.set(call.user_id, (inRows.get(call.user_id) ?? 0) + call.quota);
      sums.add({ subject: showSubject(call), log: call });
    }
    const last = calls.at(-1);
    if (!last) break;
    after = last.id;
    // Also between the pages of a long day, so that a client that left ends the export.
    yield sums.size() >= sumsMax ? sums.take() : [];
  }
  yield sums.take();
  yield counted.flatMap((user) =>
    listDeletedRows(day, user, user.quota - (inRows.get(user.user_id) ?? 0)),
  );
}

const describePayer = (id: number, uuid: string | null, name: string | null) => ({
  id: uuid ?? `user-${id}`,
  name: name ?? `user-${id}`,
});

const showSubject = (call: FocusLogRow): FocusSubject => ({
  user: call.team_uuid
    ? { id: call.team_uuid, name: call.team_name ?? "" }
    : describePayer(call.user_id, call.user_uuid, call.username ?? call.logged_username),
  key: { id: call.token_uuid ?? `key-${call.token_id}`, name: call.token_name },
  model: call.model_name,
  publisher: call.channel_type === null ? undefined : publishers.get(call.channel_type),
  tags: countTags(call.tags),
});

function countTags(json: string | null): string | undefined {
  const { counted }: LoggedTags = json === null ? {} : JSON.parse(json);
  return counted && JSON.stringify(counted);
}

/** The roll-ups outlive the log: what they count beyond its rows is billed all the same. */
function listDeletedRows(day: number, user: CountedUser, quota: number): FocusRow[] {
  if (quota <= 0) return [];
  const subject = {
    user: describePayer(user.user_id, user.user_uuid, user.username),
    key: undefined,
    model: undefined,
    publisher: undefined,
    tags: undefined,
  };
  return [
    adjustment(day, {
      subject,
      calls: 0,
      kind: "rows_deleted",
      cost: BigInt(quota) * picodollarsPerUnit,
    }),
  ];
}
