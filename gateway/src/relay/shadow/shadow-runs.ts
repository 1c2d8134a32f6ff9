/**
 * The dual run as the relay sees it, and the rows of its calls, which are written a second later
 * together.
 */
import { channelEndpoints } from "@tollgate/contract/catalogue/channel-endpoints.ts";
import type { ShadowRun } from "@tollgate/contract/figures/shadow.ts";
import type { ShadowStore } from "../../figures/shadow/shadow-store.ts";
import { freezePrice, groupRatioOne } from "../../money/prices/price.ts";
import { findPrice } from "../../money/prices/price-book.ts";
import type { Database } from "../../storage/database.ts";
import { runEvery } from "../../storage/run-every.ts";
import { makeSingleFlight } from "../../storage/single-flight.ts";
import type { LogRow } from "../../storage/tables/call-tables.ts";
import type { ShadowCallRow } from "../../storage/tables/record-tables.ts";
import type { ChannelPrice, RelayChannel } from "../routing/channel-table.ts";

const writeEveryMs = 1_000;
/** Rows of one statement: its parameters are limited, at 32,766 on SQLite. */
const rowsPerStatement = 200;
/** While the database is away; what comes on top leaves no row. */
const waitingMax = 20_000;

export interface ShadowRecord {
  log: LogRow;
  trace: string;
  call: ShadowCallRow;
}

export interface ShadowRuns {
  /** The run that is on; undefined for nearly every gateway. A call asks once, when it begins. */
  current(): ShadowRun | undefined;
  /** The gateway of before as a channel of no row, with the caller's own key as it came. */
  channelAt(address: string, key: string): RelayChannel;
  /**
   * `unservedPrice` goes by which the answer of a model is read that no channel here serves.
   * Nothing is charged at it.
   */
  unservedPrice: ChannelPrice;
  record(record: ShadowRecord): void;
  close(): Promise<void>;
}

interface ShadowRunsDeps {
  db: Pick<Database, "sql" | "write" | "onChange">;
  store: ShadowStore;
  /** A channel of OpenAI's type. */
  openChannel(address: string, key: string): RelayChannel;
  now(): number;
  onError(error: unknown): void;
}

/** `paths` speaks every format of the client API, at the addresses that this gateway has. */
const paths = [
  ...channelEndpoints,
  ...["gemini", "gemini_embeddings"].map((name) => ({ name, path: "/v1beta/models" })),
];

export async function openShadowRuns({
  db,
  store,
  openChannel,
  now,
  onError,
}: ShadowRunsDeps): Promise<ShadowRuns> {
  let run: ShadowRun | undefined;
  const refresh = makeSingleFlight(async () => {
    run = await store.run();
  });
  db.onChange("options", refresh);
  await refresh();

  const price = findPrice("", new Map(), undefined, "");
  const frozen = freezePrice(price, groupRatioOne);
  let waiting: ShadowRecord[] = [];
  async function write(): Promise<void> {
    while (waiting.length > 0) {
      const some = waiting.slice(0, rowsPerStatement);
      await db.write([
        { query: db.sql.insertInto("logs").values(some.map(({ log }) => log)) },
        {
          query: db.sql
            .insertInto("traces")
            .values(some.map(({ log: { id }, trace }) => ({ id, data: trace }))),
        },
        store.insert(some.map(({ call }) => call)),
      ]);
      waiting = waiting.slice(some.length);
    }
  }
  const stop = runEvery(writeEveryMs, write, onError);

  return {
    current: () => (run !== undefined && run.until > now() ? run : undefined),
    channelAt(address, key) {
      const urls = Object.fromEntries(
        paths.map(({ name, path }) => [name, new URL(path, address)]),
      );
      return { ...openChannel(address, key), name: new URL(address).host, urlsFor: () => urls };
    },
    unservedPrice: { model: "", price, frozen, json: JSON.stringify(frozen) },
    record(record) {
      if (waiting.length < waitingMax) waiting.push(record);
    },
    async close() {
      await stop();
      await write().catch(onError);
    },
  };
}
