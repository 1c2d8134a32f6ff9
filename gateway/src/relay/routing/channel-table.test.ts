import { expect, test } from "vitest";
import { defaultPrice } from "../../money/prices/price-book.ts";
import type { Database } from "../../storage/database.ts";
import { createChannelTable, relayChannel } from "./channel-table.ts";

const row = (id: number) => ({
  id,
  uuid: `uuid-${id}`,
  name: `channel ${id}`,
  type: 1,
  status: 1,
  disabled_reason: "",
  priority: 0,
  weight: 0,
  base_url: "",
  group: "default",
  models: "small",
  hidden_models: null,
  model_mapping: null,
  model_configs: null,
  system_prompt: null,
  inference_profile_arn_map: null,
  config: "",
  other: "",
});

/** A database whose reads resolve when the test says so. */
function slowDatabase() {
  const reads: ((rows: unknown[]) => void)[] = [];
  const listeners: (() => void)[] = [];
  const query = { selectAll: () => query };
  const nothing = { selectAll: () => nothing };
  const db = {
    sql: { selectFrom: (table: string) => (table === "channels" ? query : nothing) },
    read: (asked: unknown) =>
      asked === nothing ? Promise.resolve([]) : new Promise((resolve) => reads.push(resolve)),
    onChange: (_topic: string, listener: () => void) => listeners.push(listener),
  } as unknown as Database;
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return {
    db,
    changed: async () => {
      for (const listener of listeners) listener();
      await turn();
    },
    /** Resolves the nth read if it is pending. */
    async answer(nth: number, ids: number[]) {
      reads[nth]?.(ids.map(row));
      await turn();
    },
    get started() {
      return reads.length;
    },
  };
}

const openChannel = (row: Parameters<typeof relayChannel>[0]) => relayChannel(row, []);

const noTrouble = (error: unknown) => {
  throw error;
};

test("a slow read never brings back what a newer one has replaced", async () => {
  const slow = slowDatabase();
  const opening = createChannelTable(slow.db, new Map(), openChannel, noTrouble);
  await slow.answer(0, []);
  const table = await opening;

  await slow.changed();
  await slow.changed();
  // The table may read twice at the same time; the read that began last saw the newest rows.
  await slow.answer(2, [1, 2]);
  await slow.answer(1, [1]);
  for (let nth = 2; nth < slow.started; nth += 1) await slow.answer(nth, [1, 2]);

  expect(table.snapshot.channels.map(({ id }) => id)).toEqual([1, 2]);
});

test("a change during a read is read as well", async () => {
  const slow = slowDatabase();
  const opening = createChannelTable(slow.db, new Map(), openChannel, noTrouble);
  await slow.answer(0, []);
  const table = await opening;

  await slow.changed();
  const before = slow.started;
  await slow.changed();
  for (let nth = 1; nth < before; nth += 1) await slow.answer(nth, [1]);
  for (let nth = before; nth < slow.started; nth += 1) await slow.answer(nth, [1, 2]);

  expect(table.snapshot.channels.map(({ id }) => id)).toEqual([1, 2]);
});

test("one unreadable channel leaves the others in place, and is reported", async () => {
  const slow = slowDatabase();
  const troubles: unknown[] = [];
  const opening = createChannelTable(
    slow.db,
    new Map(),
    (row) => {
      if (row.id === 2) throw new Error("sealed with another key");
      return openChannel(row);
    },
    (error) => troubles.push(error),
  );
  await slow.answer(0, [1, 2, 3]);
  const table = await opening;
  expect(table.snapshot.channelsFor("small").map(({ id }) => id)).toEqual([1, 3]);
  expect(String(troubles[0])).toMatch(/channel 2/);
});

test("the price of a call follows its hour, and is the same object within an hour", async () => {
  const dear = { ...defaultPrice.rates, input: 9_000_000n };
  const price = {
    ...defaultPrice,
    hours: [{ from: 60, to: 240, exceptWeekends: true, rates: dear }],
  };
  const slow = slowDatabase();
  const opening = createChannelTable(slow.db, new Map([["small", price]]), openChannel, noTrouble);
  await slow.answer(0, [1]);
  const { snapshot } = await opening;
  const [channel] = snapshot.channels;
  if (!channel) throw new Error("there is no channel");
  const costAt = (moment: string) =>
    snapshot.price(channel, "small", 1_000_000, Date.parse(moment));
  const [before, within, atWeekend] = [
    "2026-11-20T00:59Z",
    "2026-11-20T01:00Z",
    "2026-11-21T01:00Z",
  ].map(costAt);
  expect(before?.price.rates.input).toBe(defaultPrice.rates.input);
  expect(atWeekend).toBe(before);
  // The log row has the rates of the hour and nothing that allows another reading later.
  expect(JSON.parse(within?.json ?? "")).toMatchObject({
    rates: { input: "9000000" },
    source: "default price, 01:00 to 04:00 UTC",
  });
  expect(costAt("2026-11-20T03:59Z")).toBe(within);
});
