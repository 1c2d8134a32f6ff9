/**
 * Log rows of the family as calls with what they were charged for, so that prices can be compared.
 * Pure.
 */
import * as z from "zod/mini";
import type { Usage } from "../../../money/prices/price.ts";
import type { SourceCall } from "../import-items.ts";
import {
  defineWholeNumber,
  fillRow,
  formatSourceText,
  parseJsonObject,
} from "../sources/source-fields.ts";
import type { SourceRow } from "../sources/source-tables.ts";
import type { FamilyKind } from "./family-kind.ts";
import { readAcceptedGroup } from "./group-names.ts";

const count = z.pipe(defineWholeNumber(), z.int().check(z.minimum(0)));
const shape = {
  user_id: defineWholeNumber(),
  channel_id: defineWholeNumber(),
  model_name: formatSourceText(400),
  quota: count,
  prompt_tokens: count,
  completion_tokens: count,
  cached_prompt_tokens: count,
  group: formatSourceText(400),
  metadata: formatSourceText(1_000_000),
  other: formatSourceText(1_000_000),
};
const logRow = z.object(shape);
export const callColumns = [...Object.keys(shape), "type"];

const consumed = 2;
/** Rows of other kinds move no price: top-ups, sign-ins, tests. */
export const isCharge = ({ type, quota }: SourceRow): boolean =>
  Number(type) === consumed && Number(quota) > 0;

/**
 * Models that are charged by pictures, seconds or characters, which the family notes as if they
 * were tokens.
 */
const chargedByItems =
  /(^|[-/])(dall-e|tts|whisper|gpt-image|imagen|flux|stable-diffusion|cogview|sora|veo|suno|mj)/i;
/**
 * Members of new-api's `other` by which a call was charged otherwise than by text tokens at its
 * model's ratio.
 */
const otherCharges =
  /^(model_price|audio|ws|image|web_search|file_search|image_generation|billing_mode|tiered)/;

/** one-api rounds up, with the noise of floating point; new-api rounds half away from zero. */
const roundings: Record<FamilyKind, SourceCall["rounding"]> = {
  "one-api": { least: -1, most: 0 },
  "laisky-one-api": { least: -1, most: 0 },
  "new-api": { least: 0, most: 1 },
};

/** Undefined for a call that was charged by more than tokens, or cannot be read. */
export function readCall(kind: FamilyKind, row: SourceRow): SourceCall | undefined {
  const parsed = z.safeParse(logRow, fillRow(row, shape));
  if (!parsed.success) return undefined;
  const { data } = parsed;
  const usage = findUsage(kind, data);
  if (
    !usage ||
    Object.values(usage).some((tokens) => tokens < 0) ||
    chargedByItems.test(data.model_name)
  )
    return undefined;
  return {
    userSourceId: String(data.user_id),
    channelSourceId: String(data.channel_id),
    group: kind === "new-api" && data.group !== "" ? readAcceptedGroup(data.group) : undefined,
    model: data.model_name,
    usage,
    quota: data.quota,
    rounding: roundings[kind],
  };
}

type CallRow = z.output<typeof logRow>;

function findUsage(kind: FamilyKind, row: CallRow): Usage | undefined {
  const { prompt_tokens: prompt, completion_tokens: output, cached_prompt_tokens: cached } = row;
  const none = { cache_write_5m: 0, cache_write_1h: 0 };
  if (kind === "one-api") return { input: prompt, cache_read: 0, ...none, output };
  // Which of its tokens were written to a cache stands in metadata, in forms of several versions.
  if (kind === "laisky-one-api")
    return /cache_write|tool/.test(row.metadata)
      ? undefined
      : { input: prompt - cached, cache_read: cached, ...none, output };
  const other = parseJsonObject(row.other);
  if (!other)
    return row.other === "" ? { input: prompt, cache_read: 0, ...none, output } : undefined;
  if (Object.entries(other).some(([name, value]) => otherCharges.test(name) && isSet(value)))
    return undefined;
  const tokens = (name: string): number => (typeof other[name] === "number" ? other[name] : 0);
  const [read, written, hour] = [
    tokens("cache_tokens"),
    tokens("cache_creation_tokens"),
    tokens("cache_creation_tokens_1h"),
  ];
  // Claude's prompt is counted without what its cache held.
  const inCache = other.claude === true ? 0 : read + written;
  return {
    input: prompt - inCache,
    cache_read: read,
    cache_write_5m: written - hour,
    cache_write_1h: hour,
    output,
  };
}

/** A price of -1 is none. */
const isSet = (value: unknown): boolean => (typeof value === "number" ? value > 0 : Boolean(value));
