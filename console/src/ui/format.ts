/**
 * Formats of numbers, sizes and times, the same on every page: what is not known is a dash.
 * Separators follow the chosen language, because "1,234" reads as one and a bit in a German
 * sentence; the currency sign, the letters K and M, and the order of a date are specified and stay.
 */
import { i18n } from "@lingui/core";

export const missing = "-";

/**
 * `MaybeNumber` holds some servers leave numbers out, and local storage returns null for what was
 * unknown.
 */
type MaybeNumber = number | null | undefined;
const isKnown = (value: MaybeNumber): value is number =>
  typeof value === "number" && Number.isFinite(value);

export const formatInteger = (value: MaybeNumber): string => formatDecimal(value, 0);

export function formatDecimal(value: MaybeNumber, digits: number): string {
  if (!isKnown(value)) return missing;
  // Zero has no sign.
  return buildDecimals(digits, digits).format(value === 0 ? 0 : value);
}

// Formats are cached: creating one costs as much as rendering a table row.
const numberFormats = new Map<string, Intl.NumberFormat>();
const relativeFormats = new Map<string, Intl.RelativeTimeFormat>();

/** A number with `min` to `max` decimals and the separators of the chosen language. */
export const buildDecimals = (min: number, max: number): Intl.NumberFormat =>
  buildNumbers("decimal", min, max);

function buildNumbers(style: "decimal" | "percent", min: number, max: number): Intl.NumberFormat {
  const locale = i18n.locale || "en";
  const key = `${locale} ${style} ${min} ${max}`;
  const format =
    numberFormats.get(key) ??
    new Intl.NumberFormat(locale, {
      style,
      minimumFractionDigits: min,
      maximumFractionDigits: max,
    });
  numberFormats.set(key, format);
  return format;
}

/** `formatPercent` writes per cent as the chosen language does: 12.5% in English, 12,5 % in German. */
export function formatPercent(percent: MaybeNumber, min: number, max = min): string {
  if (!isKnown(percent)) return missing;
  return buildNumbers("percent", min, max).format(percent === 0 ? 0 : percent / 100);
}

/** The character between whole and fraction in the chosen language. */
export const readDecimalPoint = (): string =>
  buildDecimals(1, 1)
    .formatToParts(0)
    .find(({ type }) => type === "decimal")?.value ?? ".";

function buildRelative(locale: string): Intl.RelativeTimeFormat {
  const format =
    relativeFormats.get(locale) ?? new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
  relativeFormats.set(locale, format);
  return format;
}

/**
 * 12.3K, 4.5M: one decimal, as specified for quota without currency; what no specification foresees goes on with B and T.
 */
export function formatCompact(value: MaybeNumber): string {
  if (!isKnown(value)) return missing;
  const size = Math.abs(value);
  if (size >= 999_950_000) return formatShort(value);
  if (size >= 999_950) return `${formatDecimal(value / 1_000_000, 1)}M`;
  if (size >= 1_000) return `${formatDecimal(value / 1_000, 1)}K`;
  return formatDecimal(value, Number.isInteger(value) ? 0 : 1);
}

/**
 * `formatShort` is for tiles and axes of our own: 12.3K, 4.5M, 1.2B, 3T, without a zero behind the
 * point.
 */
export function formatShort(value: MaybeNumber): string {
  if (!isKnown(value)) return missing;
  const size = Math.abs(value);
  const [letter = "", unit = 1] = shortUnits.find(([, one]) => size >= one * 0.999_95) ?? [];
  // Below one, three significant digits: an axis of small amounts has no other figures.
  const places = size > 0 && size < 1 ? significantDigits - 1 - Math.floor(Math.log10(size)) : 1;
  return `${buildDecimals(0, places).format(value / unit)}${letter}`;
}

const shortUnits = [
  ["T", 1e12],
  ["B", 1e9],
  ["M", 1e6],
  ["K", 1e3],
] as const;

/** `changeMax` is the largest change in per cent that says more than a factor. */
const changeMax = 999;

/**
 * `formatChange` has no sign, which arrows and words show: 12.5%, and ×17 where a percentage could
 * not be read.
 */
export function formatChange(percent: MaybeNumber): string {
  if (!isKnown(percent)) return missing;
  return percent > changeMax
    ? `×${formatShort(Math.round(percent / 100 + 1))}`
    : formatPercent(Math.abs(percent), 1);
}

/**
 * `MoneyDigits` are the decimals that a specification names for its page, or our own rule for
 * everything else.
 */
export type MoneyDigits = number | "own";
export type QuotaStyle = { perUnit: number; inCurrency: boolean; digits: MoneyDigits };

/**
 * Currency with its decimals. An amount below a cent has up to six, so that it is never shown as
 * zero.
 */
export function formatQuota(
  quota: MaybeNumber,
  { perUnit, inCurrency, digits }: QuotaStyle,
): string {
  if (!inCurrency) return formatCompact(quota);
  if (!isKnown(quota)) return digits === "own" ? missingMoney : missing;
  return digits === "own"
    ? formatOwnDollars(quota / perUnit)
    : formatDollars(quota / perUnit, digits, digits);
}

/** The least amount that is shown as a number. */
const dollarsMin = 0.000_001;
const significantDigits = 3;
/** `missingMoney` is what is not known of money, on screens of our own. */
const missingMoney = "–";

/**
 * `formatOwnDollars` has cents from $1, three significant digits below it, and `$0` for nothing.
 */
export function formatOwnDollars(amount: MaybeNumber): string {
  if (!isKnown(amount)) return missingMoney;
  const size = Math.abs(amount);
  if (size === 0) return "$0";
  const sign = amount < 0 ? "-" : "";
  if (size < dollarsMin / 2) return `${sign}<$${buildDecimals(6, 6).format(dollarsMin)}`;
  const places = size >= 1 ? 2 : significantDigits - 1 - Math.floor(Math.log10(size));
  return `${sign}$${buildDecimals(2, places).format(size)}`;
}

/** `min` decimals are always there, so that the points of a column stand below each other. */
export function formatDollars(amount: MaybeNumber, digits = 2, min = 2): string {
  if (!isKnown(amount)) return missing;
  const size = Math.abs(amount);
  const sign = amount < 0 ? "-" : "";
  if (size > 0 && size < dollarsMin / 2)
    return `${sign}<$${buildDecimals(6, 6).format(dollarsMin)}`;
  // Without trailing zeros beyond the cents, so that an amount looks the same on every page.
  const max = size < 0.01 ? 6 : digits;
  return `${sign}$${buildDecimals(min, max).format(size)}`;
}

const two = (value: number): string => String(value).padStart(2, "0");

/** `YYYY-MM-DD HH:MM:SS` in the browser's time zone; a dash for missing or non-positive values. */
export function formatSeconds(seconds: MaybeNumber): string {
  if (!isKnown(seconds) || seconds <= 0) return missing;
  return formatDate(new Date(seconds * 1000));
}

export function formatDate(date: Date): string {
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

const relativeUnits = [
  { unit: "year", seconds: 31_557_600 },
  { unit: "month", seconds: 2_629_800 },
  { unit: "day", seconds: 86_400 },
  { unit: "hour", seconds: 3_600 },
  { unit: "minute", seconds: 60 },
] as const;

/** "3 hours ago", "in 2 days"; "now" below a minute. */
export function formatRelative(seconds: number, nowMs: number, locale: string): string {
  const offsetSeconds = seconds - nowMs / 1000;
  const relative = buildRelative(locale);
  const step = relativeUnits.find((candidate) => Math.abs(offsetSeconds) >= candidate.seconds);
  return step
    ? relative.format(Math.round(offsetSeconds / step.seconds), step.unit)
    : relative.format(0, "second");
}

/** Milliseconds below 1,000, otherwise seconds; a dash for missing or negative values. */
export function formatDurationMs(ms: MaybeNumber): string {
  if (!isKnown(ms) || ms < 0) return missing;
  return ms < 1_000 ? `${formatInteger(Math.round(ms))} ms` : `${formatDecimal(ms / 1_000, 2)} s`;
}

/** `chooseDurationUnit` writes all values of one axis in the unit of the largest. */
export function chooseDurationUnit(maxMs: number): (ms: number) => string {
  return maxMs < 1_000 ? formatDurationMs : (ms) => `${buildDecimals(0, 2).format(ms / 1_000)} s`;
}

export function formatBytes(bytes: MaybeNumber): string {
  if (!isKnown(bytes)) return missing;
  if (bytes < 1_024) return `${formatInteger(bytes)} B`;
  if (bytes < 1_048_576) return `${formatDecimal(bytes / 1_024, 1)} KB`;
  return `${formatDecimal(bytes / 1_048_576, 1)} MB`;
}
