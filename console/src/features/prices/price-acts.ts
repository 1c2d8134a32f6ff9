/**
 * Prices of models as the page shows and changes them: dollars for a million tokens, or for each
 * item. Pure.
 */
import type { BulkMembers, BulkRow } from "@tollgate/contract/api/bulk-verbs.ts";
import {
  type ChangedPrice,
  type ModelPriceRow,
  type PriceName,
  priceNames,
  type ShownPrices,
} from "@tollgate/contract/catalogue/model-prices.ts";
import { formatDollars, formatPercent } from "../../ui/format.ts";

/** A price of a thousandth of a cent matters. */
const priceDigits = 6;

export type TypedPrices = Readonly<Record<string, string>>;

/** Undefined for a text that is no amount. */
function parseAmount(text: string): number | undefined {
  const trimmed = text.trim().replace(/^\$/, "");
  return /^\d{1,9}(\.\d{0,9})?$/.test(trimmed) ? Number(trimmed) : undefined;
}

const isSettable = (name: string): boolean =>
  name === "max_tokens" || (priceNames as readonly string[]).includes(name);

/**
 * `buildPricesRequest` gives what is typed as `{ set }`: a field for each usual price, and `others`
 * as `calls=0.01, seconds=0.0001`. Undefined for a mistake.
 */
export function buildPricesRequest({
  others = "",
  ...fields
}: TypedPrices): { set: Record<string, number> } | undefined {
  const listed = others
    .split(/[,\n]/)
    .map((part) => part.split("=").map((word) => word.trim()))
    .filter(([name]) => name !== "");
  const stated = Object.entries(fields).filter(([, text]) => text.trim() !== "");
  const set = new Map<string, number>();
  for (const [name = "", text = "", more] of [...stated, ...listed]) {
    const amount = parseAmount(text);
    if (amount === undefined || more !== undefined || !isSettable(name) || set.has(name))
      return undefined;
    set.set(name, amount);
  }
  return set.size === 0 ? undefined : { set: Object.fromEntries(set) };
}

const usualPrices = ["input", "cache_read", "output"] as const;

/**
 * `buildTypedPrices` gives what the operator or the price package states, as it is typed. Prices
 * that only follow from others are left out: they go on following.
 */
export const buildTypedPrices = ({
  built_in,
  operator,
}: Pick<ModelPriceRow, "built_in" | "operator">): TypedPrices => {
  const stated: ShownPrices = { ...built_in, ...operator };
  return Object.fromEntries(
    usualPrices.flatMap((name) =>
      stated[name] === undefined ? [] : [[name, readPlainDecimal(stated[name])]],
    ),
  );
};

/** `readPlainDecimal` writes no exponent, unlike `String` for a price below a millionth. */
const readPlainDecimal = (dollars: number): string => dollars.toFixed(9).replace(/\.?0+$/, "");

/**
 * `changeTexts` gives what is typed anew: a price that stays is not sent, or it would become the
 * operator's and outlive price lists.
 */
export const changeTexts = (before: TypedPrices, typed: TypedPrices): TypedPrices =>
  Object.fromEntries(
    Object.entries(typed).filter(([name, text]) => text.trim() !== (before[name] ?? "")),
  );

export function buildFactorRequest({ factor = "" }: TypedPrices): { factor: number } | undefined {
  const amount = parseAmount(factor);
  return amount === undefined ? undefined : { factor: amount };
}

export const buildPricesBody = (models: readonly string[], request: object): object => ({
  models,
  ...request,
});

/** The rows of a change as every act on many rows has them, with the members that change alone. */
export const changeRows = (rows: readonly ChangedPrice[]): BulkRow[] =>
  rows.map(({ model, skipped, before, after }) => {
    const [was, becomes] = [buildMembers(before), buildMembers(after)];
    const differs = (name: string) => was[name] !== becomes[name];
    const part = (members: BulkMembers) =>
      Object.fromEntries(Object.entries(members).filter(([name]) => differs(name)));
    return { id: 0, uuid: model, name: model, skipped, before: part(was), after: part(becomes) };
  });

/** Prices of long prompts as `input above 200000`. */
function buildMembers({ tiers = [], ...prices }: ShownPrices): BulkMembers {
  const higher = tiers.flatMap(({ above, ...rates }) =>
    Object.entries(rates).map(([name, price]) => [`${name} above ${above}`, price] as const),
  );
  const members = [...Object.entries(prices), ...higher].filter(([, price]) => price !== undefined);
  return Object.fromEntries(members) as BulkMembers;
}

export const showPrices = (members: BulkMembers): string =>
  Object.entries(members)
    .map(([name, value]) => `${name} ${name === "max_tokens" ? value : priceText(Number(value))}`)
    .join(", ");

export const priceText = (dollars: number | undefined): string =>
  formatDollars(dollars, priceDigits);

export interface PriceDifference {
  name: PriceName;
  /** `percent` is in per cent of the built-in price; undefined where that is 0 or unknown. */
  percent: number | undefined;
}

/** `priceDifferences` says where the price in force is not the built-in one. */
export function priceDifferences(inForce: ShownPrices, builtIn: ShownPrices): PriceDifference[] {
  return priceNames.flatMap((name): PriceDifference[] => {
    const [now, listed] = [inForce[name], builtIn[name]];
    if (now === undefined || now === listed) return [];
    return [{ name, percent: listed ? Math.round((now / listed - 1) * 1000) / 10 : undefined }];
  });
}

const readSigned = (percent: number): string =>
  `${percent > 0 ? "+" : "−"}${formatPercent(Math.abs(percent), 0, 1)}`;

/** `+20%` where all differ alike, otherwise by name. */
export function formatDifferenceText(differences: readonly PriceDifference[]): string {
  const [first, ...others] = differences;
  if (!first) return "";
  const isSame = others.length > 0 && others.every(({ percent }) => percent === first.percent);
  if (isSame && first.percent !== undefined) return readSigned(first.percent);
  return differences
    .map(({ name, percent }) => (percent === undefined ? name : `${name} ${readSigned(percent)}`))
    .join(", ");
}
