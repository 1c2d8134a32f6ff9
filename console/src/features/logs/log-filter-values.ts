import { logTypes, type OutcomeFilter, outcomeFilters } from "@tollgate/contract/figures/logs.ts";
import { isWholeKey } from "../../components/keys/whole-secret.ts";
import type { TimeRange } from "../../components/time-ranges.ts";

/**
 * The filter as the URL holds it. Times are unix seconds as text; empty means the default range,
 * which moves with the clock.
 */
export type LogFilterValues = {
  type: string;
  model_name: string;
  token_name: string;
  username: string;
  channel: string;
  start_timestamp: string;
  end_timestamp: string;
  /**
   * `range` is one of `logRanges`, in place of the two times: it moves with the clock, also in a
   * link or a kept view.
   */
  range: string;
  keyword: string;
  /** `outcome` is one of `outcomeFilters`. */
  outcome: string;
  /** `1` for calls that were sent again. */
  retried: string;
  /** `1` for calls that took long. */
  slow: string;
  /** `tag` is as `team=search`. */
  tag: string;
};

export const logFilterKeys = [
  "type",
  "model_name",
  "token_name",
  "username",
  "channel",
  "start_timestamp",
  "end_timestamp",
  "range",
  "keyword",
  "outcome",
  "retried",
  "slow",
  "tag",
] as const satisfies readonly (keyof LogFilterValues)[];

export const noFilter: LogFilterValues = {
  type: "",
  model_name: "",
  token_name: "",
  username: "",
  channel: "",
  start_timestamp: "",
  end_timestamp: "",
  range: "",
  keyword: "",
  outcome: "",
  retried: "",
  slow: "",
  tag: "",
};

const hourSeconds = 3_600;
const defaultHoursBack = 168;
const defaultHoursAhead = 1;

/** `ofOneType` comes without that for all of them. */
const ofOneType = Object.values(logTypes).flatMap((type) =>
  type === logTypes.all ? [] : String(type),
);

export function filterFromSearch(search: Readonly<Record<string, unknown>>): LogFilterValues {
  const filter = { ...noFilter };
  for (const key of logFilterKeys) {
    const value = search[key];
    // A link that a user made by hand may hold a key: it is not sent on.
    if (typeof value === "string" && !isWholeKey(value)) filter[key] = value;
  }
  for (const key of ["start_timestamp", "end_timestamp"] as const) {
    if (!/^\d{1,11}$/.test(filter[key])) filter[key] = "";
  }
  if (
    !logRanges.some((range) => range === filter.range) ||
    filter.start_timestamp + filter.end_timestamp !== ""
  )
    filter.range = "";
  if (!ofOneType.includes(filter.type)) filter.type = "";
  if (!outcomeFilters.some((outcome) => outcome === filter.outcome)) filter.outcome = "";
  for (const key of ["retried", "slow"] as const) if (filter[key] !== "1") filter[key] = "";
  return filter;
}

export function filterToSearch(
  search: Readonly<Record<string, unknown>>,
  filter: LogFilterValues,
): Record<string, unknown> {
  // A changed filter returns to the first page.
  const next: Record<string, unknown> = { ...search, p: undefined };
  for (const key of logFilterKeys) next[key] = filter[key] === "" ? undefined : filter[key];
  return next;
}

/** The ranges that are looked at most, each until what is newest. */
export const logRanges = [
  "15m",
  "1h",
  "24h",
  "today",
  "7d",
  "30d",
  "month",
] as const satisfies readonly TimeRange[];

const rangeSeconds: Readonly<Record<string, number>> = {
  "15m": 900,
  "1h": hourSeconds,
  "24h": 86_400,
  "7d": 604_800,
  "30d": 2_592_000,
};

/** Days and months are those of the browser, as the times of the log. */
function rangeStart(range: string, nowSeconds: number): number {
  const back = rangeSeconds[range];
  if (back !== undefined) return nowSeconds - back;
  const day = new Date(nowSeconds * 1000);
  if (range === "month") day.setDate(1);
  return Math.floor(day.setHours(0, 0, 0, 0) / 1000);
}

/** `defaultRange` is what the default of 168 hours is called. */
export const defaultRange = "7d";
export const isDefaultRange = ({
  range,
  start_timestamp,
  end_timestamp,
}: LogFilterValues): boolean => range + start_timestamp + end_timestamp === "";

/** The default range is the last 168 hours up to one hour ahead. */
export function computeTimeRange(
  filter: LogFilterValues,
  nowSeconds: number,
): { start: number; end: number } {
  const ahead = nowSeconds + defaultHoursAhead * hourSeconds;
  if (filter.range !== "") return { start: rangeStart(filter.range, nowSeconds), end: ahead };
  return {
    start:
      filter.start_timestamp === ""
        ? nowSeconds - defaultHoursBack * hourSeconds
        : Number(filter.start_timestamp),
    end: filter.end_timestamp === "" ? ahead : Number(filter.end_timestamp),
  };
}

export type LogFilterQuery = {
  type?: string;
  model_name?: string;
  token_name?: string;
  username?: string;
  channel?: string;
  start_timestamp: number;
  end_timestamp: number;
  outcome?: OutcomeFilter;
  retried?: string;
  slow?: string;
  team_id?: string;
  problem?: string;
  tag?: string;
};

/**
 * `planEndingQuery` gives what the filter says about the ending of calls. Without it, the view of
 * problems shows every call that did not go smoothly.
 */
export function planEndingQuery(
  { outcome, retried, slow }: LogFilterValues,
  isOfProblems: boolean,
): Pick<LogFilterQuery, "outcome" | "retried" | "slow" | "problem"> {
  if (outcome === "" && retried === "" && slow === "") return isOfProblems ? { problem: "1" } : {};
  return {
    ...(outcome !== "" && { outcome: outcome as OutcomeFilter }),
    ...(retried !== "" && { retried }),
    ...(slow !== "" && { slow }),
  };
}

/** Only administrators may filter by user and channel. */
export function buildLogQuery(
  filter: LogFilterValues,
  nowSeconds: number,
  admin: boolean,
): LogFilterQuery {
  const { start, end } = computeTimeRange(filter, nowSeconds);
  const query: LogFilterQuery = { start_timestamp: start, end_timestamp: end };
  const sent = admin
    ? (["type", "model_name", "token_name", "tag", "username", "channel"] as const)
    : (["type", "model_name", "token_name", "tag"] as const);
  for (const key of sent) if (filter[key] !== "") query[key] = filter[key];
  return query;
}

export const isFiltered = (filter: LogFilterValues): boolean =>
  logFilterKeys.some((key) => filter[key] !== "");

/** `holdsKey` says whether a whole key was pasted into one of the fields. */
export const holdsKey = (filter: LogFilterValues): boolean =>
  logFilterKeys.some((key) => isWholeKey(filter[key]));
