/**
 * Charges the last calls of the source again, from their tokens at the prices that were carried.
 * This finds a price that is compiled into the other program and was never saved, and a ratio that
 * was lost on the way.
 */
import { isJsonRecord } from "@tollgate/contract/api/json-record.ts";
import { charge, type Price, promptTokens } from "../../money/prices/price.ts";
import {
  computeLowestGroupRatio,
  findPrice,
  type ModelConfig,
  type PriceBook,
  parseModelConfigs,
  readGroupRatio,
  readPriceBook,
} from "../../money/prices/price-book.ts";
import { optionDefaults } from "../../settings/option-defaults.ts";
import type { ImportDifference, VerifyRun } from "./import-differences.ts";
import type { SourceCall } from "./import-items.ts";
import { parseJsonObject } from "./sources/source-fields.ts";

/** Log rows that are read, newest first. */
const callsMax = 20_000;
/** A source with more channels, models and groups than this is compared in part. */
const combinationsMax = 5_000;
/**
 * Above this share of a model's calls, the price differs; below it, one was changed while the calls
 * ran.
 */
const shareMax = 0.01;
/** Prices are kept to half a picodollar for each token. */
const tokensPerUnitOfError = 4_000_000;

interface CarriedChannel {
  name: string;
  groups: readonly string[];
  mapping: Readonly<Record<string, unknown>>;
  configs: ReadonlyMap<string, ModelConfig>;
}

interface Combination {
  channelSourceId: string;
  name: string;
  calls: number;
  off: number;
  theirs: number;
  ours: number;
}

export async function verifyPrices(
  run: VerifyRun,
): Promise<{ compared: number; differences: readonly ImportDifference[] }> {
  const pricing = await readPricing(run);
  const channels = new Map<string, CarriedChannel | undefined>();
  const combinations = new Map<string, Combination>();
  let [read, compared] = [0, 0];
  for await (const page of run.source.lastCalls()) {
    const calls = page.filter((call) => call !== undefined);
    await readChannels(run, calls, channels);
    const groups = await readGroupsOfUsers(run, calls);
    for (const call of calls) {
      const channel = channels.get(call.channelSourceId);
      const group = call.group ?? groups.get(call.userSourceId);
      if (!channel || group === undefined) continue;
      if (addCall(combinations, pricing, { call, channel, group })) compared += 1;
    }
    read += page.length;
    if (read >= callsMax) break;
  }
  const differences = [...combinations.values()]
    .filter(({ calls, off }) => off / calls > shareMax)
    .map(({ channelSourceId, name, calls, theirs, ours }): ImportDifference => {
      const each = (units: number): string =>
        `${Number((units / calls).toPrecision(6))} units a call`;
      return {
        entity: "channel",
        sourceId: channelSourceId,
        name,
        what: "price",
        theirs: each(theirs),
        ours: each(ours),
      };
    });
  return { compared, differences };
}

interface CarriedPrices {
  book: PriceBook;
  ratios: Readonly<Record<string, number>>;
  isChannelRatio: boolean;
}

async function readPricing({ db }: VerifyRun): Promise<CarriedPrices> {
  const keys = ["GroupRatio", "ChannelGroupRatioEnabled"] as const;
  const stored = await db.read(
    db.sql.selectFrom("options").select(["key", "value"]).where("key", "in", keys),
  );
  const value = (key: (typeof keys)[number]): string =>
    stored.find((option) => option.key === key)?.value ?? optionDefaults[key];
  const ratios = Object.entries(parseJsonObject(value("GroupRatio")) ?? {}).filter(
    (entry): entry is [string, number] => typeof entry[1] === "number",
  );
  return {
    book: readPriceBook(),
    ratios: Object.fromEntries(ratios),
    isChannelRatio: value("ChannelGroupRatioEnabled") === "true",
  };
}

interface PricedCall {
  call: SourceCall;
  channel: CarriedChannel;
  group: string;
}

/** False where there are too many combinations to remember another one. */
function addCall(
  combinations: Map<string, Combination>,
  { book, ratios, isChannelRatio }: CarriedPrices,
  { call, channel, group }: PricedCall,
): boolean {
  const { channelSourceId, model, usage, quota, rounding } = call;
  const id = JSON.stringify([channelSourceId, model, group]);
  const found = combinations.get(id);
  if (!found && combinations.size >= combinationsMax) return false;
  const sums = found ?? {
    channelSourceId,
    name: `${channel.name}: ${model} for ${group}`,
    calls: 0,
    off: 0,
    theirs: 0,
    ours: 0,
  };
  combinations.set(id, sums);
  const mapped = channel.mapping[model];
  const upstream = typeof mapped === "string" && mapped !== "" ? mapped : model;
  const price: Price = findPrice(upstream, book, channel.configs.get(upstream), channel.name);
  const ratio = isChannelRatio
    ? computeLowestGroupRatio(channel.groups, ratios)
    : readGroupRatio(group, ratios);
  const ours = charge(price, usage, ratio);
  const slack = Math.floor((promptTokens(usage) + usage.output) / tokensPerUnitOfError);
  const difference = ours - quota;
  sums.calls += 1;
  sums.theirs += quota;
  sums.ours += ours;
  if (difference < rounding.least - slack || difference > rounding.most + slack) sums.off += 1;
  return true;
}

async function readChannels(
  { db, imported }: VerifyRun,
  calls: readonly SourceCall[],
  channels: Map<string, CarriedChannel | undefined>,
): Promise<void> {
  const ids = [...new Set(calls.map(({ channelSourceId }) => channelSourceId))].filter(
    (id) => !channels.has(id),
  );
  const known = await imported.known("channel", ids);
  const ourIds = [...known.values()].map(({ ourId }) => ourId);
  const columns = ["id", "name", "group", "model_mapping", "model_configs"] as const;
  const rows =
    ourIds.length === 0
      ? []
      : await db.read(db.sql.selectFrom("channels").select(columns).where("id", "in", ourIds));
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const id of ids) {
    const row = byId.get(known.get(id)?.ourId ?? 0);
    const configs = parseJsonObject(row?.model_configs ?? "");
    channels.set(
      id,
      row && {
        name: row.name,
        groups: row.group.split(","),
        mapping: parseJsonObject(row.model_mapping ?? "") ?? {},
        configs: isJsonRecord(configs) ? parseModelConfigs(configs) : new Map(),
      },
    );
  }
}

/**
 * A user may have had another group when a call was made: few have, and their share of the calls is
 * small.
 */
async function readGroupsOfUsers(
  { db, imported }: VerifyRun,
  calls: readonly SourceCall[],
): Promise<ReadonlyMap<string, string>> {
  const known = await imported.known(
    "user",
    calls.map(({ userSourceId }) => userSourceId),
  );
  if (known.size === 0) return new Map();
  const ourIds = [...known.values()].map(({ ourId }) => ourId);
  const rows = await db.read(
    db.sql.selectFrom("users").select(["id", "group"]).where("id", "in", ourIds),
  );
  const groupById = new Map(rows.map(({ id, group }) => [id, group]));
  return new Map(
    [...known].flatMap(([sourceId, { ourId }]) => {
      const group = groupById.get(ourId);
      return group === undefined ? [] : [[sourceId, group] as const];
    }),
  );
}
