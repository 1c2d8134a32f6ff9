/** A price of one model for many channels: typed in dollars, sent as ratios. Pure. */
import type { BulkMembers } from "@tollgate/contract/api/bulk-verbs.ts";
import { formatDollars } from "../../ui/format.ts";

/** A ratio of 1 is a quota unit per token, which is two dollars per million tokens. */
const dollarsPerRatio = 2;
/** `free` is for cached input, where 0 means: as other input. */
const free = -1;
/** A price of a thousandth of a cent matters. */
const priceDigits = 4;
/** Quotients of decimals have long tails: 15 digits are all that a number holds for certain. */
const roundFigure = (value: number): number => Number(value.toPrecision(15));

/** Dollars of a text; undefined where it is no amount. */
function parseDollars(text: string | undefined): number | undefined {
  const trimmed = (text ?? "").trim().replace(/^\$/, "");
  return /^\d{1,6}(\.\d{0,9})?$/.test(trimmed) ? Number(trimmed) : undefined;
}

/**
 * Undefined where a price is missing, or cannot be stated: the answer's price is a multiple of the
 * input's.
 */
export function priceRequest(
  typed: Readonly<Record<string, string>>,
): Record<string, unknown> | undefined {
  const [input, output] = [parseDollars(typed.input), parseDollars(typed.output)];
  const isCachedEmpty = (typed.cached ?? "").trim() === "";
  const cached = parseDollars(typed.cached);
  const model = (typed.model ?? "").trim();
  if (model === "" || input === undefined || output === undefined) return undefined;
  if ((cached === undefined && !isCachedEmpty) || (input === 0 && output > 0)) return undefined;
  return {
    verb: "set_price",
    model,
    ratio: roundFigure(input / dollarsPerRatio),
    completion_ratio: input === 0 ? 0 : roundFigure(output / input),
    ...(cached !== undefined && {
      cached_input_ratio: cached === 0 ? free : roundFigure(cached / dollarsPerRatio),
    }),
  };
}

/**
 * `$2.50 / $10.00`: input and output per million tokens; empty where the channel states no price.
 */
export function showPrice({ ratio, completion_ratio }: BulkMembers): string {
  if (ratio === undefined) return "";
  const input = Number(ratio) * dollarsPerRatio;
  const output =
    completion_ratio === undefined
      ? []
      : [formatDollars(roundFigure(input * Number(completion_ratio)), priceDigits)];
  return [formatDollars(input, priceDigits), ...output].join(" / ");
}
