/** The reply of the gateway as bars, rows of the legend, and the step that still runs. Pure. */
import {
  type Spending,
  type SpendingAmounts,
  type SpendingSeries,
  spendingUnitSeconds,
} from "@tollgate/contract/figures/spending.ts";
import type { SeriesMark } from "../../../ui/chart/chart-palette.ts";
import type { ChartSeries } from "../../../ui/chart/stacked-bars.tsx";
import { changePercent } from "../usage-metrics.ts";

export type SpendingMetric = keyof SpendingAmounts;

/** `barsMax` is the number of series with a mark of their own. */
const barsMax = 14;

export type LegendRow = {
  id: string;
  name: string;
  owner: string;
  amount: number;
  /** Share of the sum of all, from 0 to 1. */
  share: number;
  /**
   * `change` is in per cent, of the finished steps against the same ones before; undefined where
   * there is nothing to compare with.
   */
  change: number | undefined;
  /** `mark` is set where it means the same in every chart; by its name otherwise. */
  mark?: SeriesMark;
  /** `isOther` says whether it is part of the palest bar. */
  isOther: boolean;
};

export type SpendingView = {
  labels: string[];
  areTimes: boolean;
  /** `titles` are what heads the tooltip of each step. */
  titles: string[];
  series: ChartSeries[];
  /** The series that `other` sums up. */
  others: ChartSeries[];
  rows: LegendRow[];
  total: LegendRow;
  /** Sums of the time before, step by step; undefined where they are not known. */
  earlier: number[] | undefined;
  unfinished: { place: number; until: string } | undefined;
};

/**
 * Names are of series: two keys of one name are told apart by their owners, and then by their ids.
 */
function nameSeries(series: readonly SpendingSeries[], other: string): string[] {
  const names = series.map(({ id, name }) => (id === "" ? other : name || `#${id}`));
  const isTaken = (name: string, all: readonly string[]) =>
    all.filter((one) => one === name).length > 1;
  const withOwners = names.map((name, place) => {
    const owner = series[place]?.owner ?? "";
    return isTaken(name, names) && owner !== "" ? `${name} (${owner})` : name;
  });
  return withOwners.map((name, place) =>
    isTaken(name, withOwners) ? `${name} #${series[place]?.id}` : name,
  );
}

export const sumValues = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);
const iso = (seconds: number): string => new Date(seconds * 1_000).toISOString();
export const writeDay = (seconds: number): string => iso(seconds).slice(0, "2026-11-28".length);
export const writeTime = (seconds: number): string =>
  iso(seconds).slice("2026-11-28T".length, -":00.000Z".length);

function buildRow(
  {
    values,
    earlier,
    ...named
  }: Pick<LegendRow, "id" | "name" | "owner" | "isOther"> & {
    values: readonly number[];
    earlier: number | undefined;
  },
  finished: number,
  whole: number,
): LegendRow {
  const amount = sumValues(values);
  return {
    ...named,
    amount,
    share: whole === 0 ? 0 : amount / whole,
    change:
      earlier === undefined
        ? undefined
        : changePercent(sumValues(values.slice(0, finished)), earlier),
  };
}

/** `buildSpendingView` leaves the step that still runs out of every change. */
export function buildSpendingView(
  { unit, first, until, series, earlier }: Spending,
  metric: SpendingMetric,
  words: { other: string; all: string },
): SpendingView {
  const seconds = spendingUnitSeconds[unit];
  const count = series[0]?.[metric].length ?? earlier?.[metric].length ?? 0;
  const starts = Array.from({ length: count }, (_, place) => first + place * seconds);
  const runs = starts.findIndex((start) => start <= until && until < start + seconds);
  const finished = starts.filter((start) => start + seconds <= until).length;
  const names = nameSeries(series, words.other);
  const ranked = series
    .map((one, place) => ({
      ...one,
      name: names[place] ?? "",
      values: one[metric],
      amount: sumValues(one[metric]),
    }))
    .sort((one, two) => Number(one.id === "") - Number(two.id === "") || two.amount - one.amount);
  const isMany = ranked.length > barsMax + 1;
  const own = ranked.filter((one, place) => one.id !== "" && (!isMany || place < barsMax));
  const rest = ranked.filter((one) => !own.includes(one));
  const whole = sumValues(ranked.map(({ amount }) => amount));
  const addSteps = (parts: readonly { values: readonly number[] }[]) =>
    starts.map((_, place) => sumValues(parts.map(({ values }) => values[place] ?? 0)));
  const restValues = addSteps(rest);
  const totalEarlier = earlier === null ? undefined : sumValues(earlier[metric].slice(0, finished));
  return {
    labels: starts.map(unit === "hour" ? writeTime : writeDay),
    areTimes: unit === "hour",
    titles: starts.map((start) =>
      unit === "hour" ? `${writeDay(start)} ${writeTime(start)}` : writeDay(start),
    ),
    series: [
      ...own.map(({ name, values }) => ({ name, values })),
      ...(rest.length > 0 ? [{ name: words.other, values: restValues }] : []),
    ],
    others: rest.map(({ name, values }) => ({ name, values })),
    rows: ranked.map((one) =>
      buildRow(
        { ...one, isOther: rest.includes(one), earlier: one.earlier?.[metric] },
        finished,
        whole,
      ),
    ),
    total: buildRow(
      {
        id: "",
        name: words.all,
        owner: "",
        isOther: false,
        values: addSteps(ranked),
        earlier: totalEarlier,
      },
      finished,
      whole,
    ),
    earlier: earlier?.[metric],
    unfinished: runs < 0 ? undefined : { place: runs, until: writeTime(until) },
  };
}

/** `findMarkedDays` are the days of the steps from `first` to `last`. */
export function findMarkedDays({ unit, first: start }: Spending, first: number, last: number) {
  const seconds = spendingUnitSeconds[unit];
  return { from: writeDay(start + first * seconds), to: writeDay(start + last * seconds) };
}
