/** The tags of a call, and those of them that are counted. */
import {
  otherTagValue,
  readTagKeys,
  readTagList,
  tagsPerCallMax,
  tagValuesPerMonthMax,
} from "@tollgate/contract/accounts/tags.ts";
import type { OptionReader } from "../../settings/live-options.ts";
import type { Database } from "../../storage/database.ts";
import type { LoggedTags } from "../../storage/tables/call-tables.ts";
import { runTagKey } from "../runs/run-recognisers.ts";
import { refuseBadRequest } from "../wire/relay-refusal.ts";
import { buildSentTags, type TagPair } from "./sent-tags.ts";

/** `KeyTags` are what an API key says of the tags of its calls. */
export interface KeyTags {
  fixed: readonly TagPair[];
  required: readonly string[];
}

export interface CallTags {
  /** `counted` have declared keys, with their own values: budgets look at these. */
  counted: readonly TagPair[];
  /** `LoggedTags` as JSON; undefined for none. */
  logged: string | undefined;
}

export interface TagReader {
  /**
   * Undefined for a call that has none, and wherever neither settings nor key speak of tags. Throws
   * `RelayRefused` where the key requires a tag that the call does not have.
   */
  of(
    exchange: TaggedExchange,
    caller: TaggedCaller,
    body?: readonly TagPair[],
  ): CallTags | undefined;
}

interface TaggedCaller {
  tags: KeyTags | undefined;
}

interface TaggedExchange {
  request: { headers: Parameters<typeof buildSentTags>[0] };
  note(text: string): void;
}

/** Undefined for a key that says nothing, as nearly all do. */
export function findKeyTags({
  tags,
  required_tags,
}: {
  tags: string;
  required_tags: string;
}): KeyTags | undefined {
  if (tags === "" && required_tags === "") return undefined;
  return { fixed: readTagList(tags) ?? [], required: readTagKeys(required_tags) ?? [] };
}

export async function openTagReader(
  { sql, read }: Pick<Database, "sql" | "read">,
  options: Pick<OptionReader, "text">,
  now: () => number,
): Promise<TagReader> {
  const seen = createSeenValues();
  const month = computeMonth(now());
  const known = await read(
    sql
      .selectFrom("rollup_day_tag")
      .select(["tag_key", "tag_value"])
      .distinct()
      .where("day", ">=", Date.UTC(Math.floor(month / 12), month % 12) / 86_400_000)
      .limit(knownMax),
  );
  for (const { tag_key, tag_value } of known) seen.named(tag_key, tag_value, month);
  let keysText = "";
  let declared: readonly string[] = [];
  return {
    of(exchange, { tags: ofKey }, body) {
      const text = options.text("TagKeys");
      if (text !== keysText) {
        keysText = text;
        declared = readTagKeys(text) ?? [];
      }
      if (declared.length === 0 && ofKey === undefined) return undefined;
      const sent = buildSentTags(exchange.request.headers, body);
      if (sent.note !== undefined) exchange.note(sent.note);
      const tags = collectChosenTags([...(ofKey?.fixed ?? []), ...sent.tags], declared);
      const missing = (ofKey?.required ?? []).filter((key) => !tags.has(key) && key !== runTagKey);
      if (missing.length > 0) throw refuseTagsMissing(missing);
      if (tags.size === 0) return undefined;
      const counted = [...tags].filter(([key]) => declared.includes(key));
      return {
        counted,
        logged: JSON.stringify(
          buildLoggedTags([...tags], declared, seen.named, computeMonth(now())),
        ),
      };
    },
  };
}

/** More than the keys of a month can have, also where root changed them. */
const knownMax = 20 * tagValuesPerMonthMax;

const refuseTagsMissing = (keys: readonly string[]) =>
  refuseBadRequest(
    "tags_required",
    `Calls of this API key need a tag for ${keys.join(" and ")}; send it as x-tollgate-tags: ${keys.map((key) => `${key}=…`).join(",")}`,
  );

/** The first tag of each key; where there are too many, those that are counted. */
export function collectChosenTags(
  pairs: readonly TagPair[],
  declared: readonly string[],
): Map<string, string> {
  const all = new Map<string, string>();
  for (const [key, value] of pairs) if (!all.has(key)) all.set(key, value);
  if (all.size <= tagsPerCallMax) return all;
  const isDeclared = ([key]: TagPair): boolean => declared.includes(key);
  const entries = [...all];
  return new Map(
    [...entries.filter(isDeclared), ...entries.filter((tag) => !isDeclared(tag))].slice(
      0,
      tagsPerCallMax,
    ),
  );
}

type NamedValue = (key: string, value: string, month: number) => string;

export function buildLoggedTags(
  tags: readonly TagPair[],
  declared: readonly string[],
  named: NamedValue,
  month: number,
): LoggedTags {
  const counted: Record<string, string> = {};
  const others: Record<string, string> = {};
  for (const [key, value] of tags) {
    if (!declared.includes(key)) {
      others[key] = value;
      continue;
    }
    counted[key] = named(key, value, month);
    if (counted[key] !== value) others[key] = value;
  }
  return {
    ...(Object.keys(counted).length > 0 && { counted }),
    ...(Object.keys(others).length > 0 && { others }),
  };
}

const computeMonth = (at: number): number => {
  const date = new Date(at);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
};

/** The values that a month counts by name: the first ones that this node saw of each key. */
export function createSeenValues(max = tagValuesPerMonthMax): { named: NamedValue } {
  let current = 0;
  let byKey = new Map<string, Set<string>>();
  return {
    named(key, value, month) {
      if (month !== current) {
        current = month;
        byKey = new Map();
      }
      const values = byKey.get(key) ?? new Set<string>();
      byKey.set(key, values);
      if (values.has(value)) return value;
      if (values.size >= max) return otherTagValue;
      values.add(value);
      return value;
    },
  };
}
