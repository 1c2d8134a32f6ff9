/**
 * Rules for channels with several keys: parsing the lines and keeping the state of each key. Pure.
 */
import { channelStatus } from "@tollgate/contract/catalogue/channels.ts";
import { refuse } from "../../http/refusal.ts";
import type { ChannelKeyRow } from "../../storage/tables/channel-tables.ts";
import { describeKey, splitKeys } from "./channel-key.ts";

/** `hasSeveralKeys` says whether each line of the key is a key of its own. */
export function hasSeveralKeys(config: string): boolean {
  return config !== "" && (JSON.parse(config) as Record<string, unknown>).multi_key === true;
}

/** The distinct keys in the order of the lines. */
export const splitKeyLines = (text: string): string[] =>
  [...new Set(splitKeys(text))].filter((key) => key !== "");

/** The rows of the channel's new keys; a key that it had before keeps its state. */
export function listKeyRows(
  { uuid: channel_uuid, type }: { uuid: string; type: number },
  keys: readonly string[],
  before: readonly string[] = [],
  rows: readonly ChannelKeyRow[] = [],
): ChannelKeyRow[] {
  return keys.map((key, index) => {
    const known = rows.find(({ place }) => before[place - 1] === key);
    const fresh = { status: channelStatus.enabled, reason: "", changed_at: 0 };
    const { status, reason, changed_at } = known ?? fresh;
    return {
      channel_uuid,
      place: index + 1,
      hint: describeKey(type, key),
      status,
      reason,
      changed_at,
    };
  });
}

const isEnabled = ({ status }: ChannelKeyRow): boolean => status === channelStatus.enabled;

/**
 * The keys to enable with their channel: if none is enabled, those that were disabled
 * automatically.
 */
export function listKeysToEnable(rows: readonly ChannelKeyRow[]): ChannelKeyRow[] {
  return rows.some(isEnabled)
    ? []
    : rows.filter(({ status }) => status === channelStatus.autoDisabled);
}

/** `hasOtherEnabledKeys` says whether the channel can serve calls without this key. */
export const hasOtherEnabledKeys = (rows: readonly ChannelKeyRow[], place: number): boolean =>
  rows.some((row) => row.place !== place && isEnabled(row));

/** Every call iterates over all keys of its channel. */
const keysMax = 1_000;

export interface KeyChange {
  /** The key to store, if it changes. */
  key: string | undefined;
  /** The key states to store, if they change. */
  rows: ChannelKeyRow[] | undefined;
}

interface StoredKeys {
  uuid: string;
  config: string;
  stored: string;
  rows: readonly ChannelKeyRow[];
}

export interface GivenKeys {
  /** The key of the request, if any. */
  given: string | undefined;
  /** `isAdded` says whether it comes to the stored keys instead of replacing them. */
  isAdded: boolean;
  /** `isMoved` says whether the channel sends its keys elsewhere from now on. */
  isMoved: boolean;
}

/** `changeKeys` says how an edit changes the keys of a channel. */
export function changeKeys(
  before: StoredKeys,
  after: { config: string; type: number },
  { given, isAdded, isMoved }: GivenKeys,
): KeyChange {
  const previous = hasSeveralKeys(before.config) ? splitKeyLines(before.stored) : undefined;
  if (!hasSeveralKeys(after.config)) {
    if (previous === undefined) return { key: given, rows: undefined };
    if (given === undefined && previous.length > 1)
      throw refuse("channel_key_required", {
        fields: { key: "Please enter the API key that stays" },
      });
    return { key: given, rows: [] };
  }
  if (given === undefined && previous !== undefined) return { key: undefined, rows: undefined };
  if (isAdded && isMoved)
    throw refuse("channel_key_required", { fields: { key: "Please enter all API keys again" } });
  const retained = isAdded || given === undefined ? [before.stored] : [];
  const keys = limitKeyLines([...retained, given ?? ""].join("\n"));
  return {
    key: keys.join("\n"),
    rows: listKeyRows(
      { uuid: before.uuid, type: after.type },
      keys,
      previous ?? [before.stored],
      before.rows,
    ),
  };
}

export function limitKeyLines(text: string): string[] {
  const keys = splitKeyLines(text);
  if (keys.length <= keysMax) return keys;
  const message = `A channel can hold at most ${keysMax} keys`;
  throw refuse("invalid_request", { message, fields: { key: message } });
}
