/** Failed calls by reason in the steps of a chart of all calls. Pure. */
import type { ProblemsOverTime } from "@tollgate/contract/figures/logs.ts";
import { type Spending, spendingUnitSeconds } from "@tollgate/contract/figures/spending.ts";
import type { ReasonSeries } from "../../../components/failures/reason-series.ts";
import { restMark } from "../../../ui/chart/chart-palette.ts";
import type { ChartSeries } from "../../../ui/chart/stacked-bars.tsx";
import { type LegendRow, sumValues, writeDay, writeTime } from "./spending-view.ts";

export type FailureView = {
  labels: string[];
  areTimes: boolean;
  titles: string[];
  /**
   * The calls that went well are palest and lowest; then those that the client left, then failures.
   */
  series: ChartSeries[];
  rows: LegendRow[];
  total: LegendRow;
  unfinished: { place: number; until: string } | undefined;
};

type FailureSteps = Pick<ProblemsOverTime, "from" | "step"> & { series: readonly ReasonSeries[] };

/**
 * Failures are counted in hours or longer steps; where these are longer than those of the calls,
 * the calls are added up to them.
 */
export function buildFailureView(
  { unit, first, until, series }: Spending,
  failures: FailureSteps,
  words: { answered: string; all: string },
): FailureView {
  const unitSeconds = spendingUnitSeconds[unit];
  const count = series[0]?.requests.length ?? 0;
  const seconds = Math.max(unitSeconds, failures.step);
  const start = Math.floor(first / seconds) * seconds;
  const bins = Math.ceil((first + count * unitSeconds - start) / seconds);
  const fit = (values: readonly number[], from: number, step: number): number[] => {
    const fitted = new Array<number>(bins).fill(0);
    values.forEach((value, index) => {
      const place = Math.floor((from + index * step - start) / seconds);
      if (fitted[place] !== undefined) fitted[place] += value;
    });
    return fitted;
  };
  const failed = failures.series.map(({ values, ...one }) => ({
    ...one,
    values: fit(values, failures.from, failures.step),
  }));
  const calls = fit(addUp(series.map(({ requests }) => requests)), first, unitSeconds);
  const lost = addUp(failed.map(({ values }) => values));
  // Roll-ups and the log are read one after the other.
  const answered = calls.map((value, place) => Math.max(0, value - (lost[place] ?? 0)));
  const all: ChartSeries[] = [
    { name: words.answered, values: answered, mark: restMark },
    ...failed,
  ];
  const starts = Array.from({ length: bins }, (_, place) => start + place * seconds);
  const whole = sumValues(answered) + sumValues(lost);
  const buildRow = ({ name, values, mark }: ChartSeries): LegendRow => ({
    ...{ id: name, name, owner: "", isOther: false, change: undefined },
    amount: sumValues(values),
    share: whole === 0 ? 0 : sumValues(values) / whole,
    ...(mark !== undefined && { mark }),
  });
  const runs = starts.findIndex((from) => from <= until && until < from + seconds);
  const areTimes = seconds < spendingUnitSeconds.day;
  return {
    labels: starts.map(areTimes ? writeTime : writeDay),
    areTimes,
    titles: starts.map((from) =>
      areTimes ? `${writeDay(from)} ${writeTime(from)}` : writeDay(from),
    ),
    series: all,
    rows: [...failed, ...all.slice(0, 1)].map(buildRow),
    total: buildRow({ name: words.all, values: [...answered, ...lost] }),
    unfinished: runs < 0 ? undefined : { place: runs, until: writeTime(until) },
  };
}

const addUp = (parts: readonly (readonly number[])[]): number[] =>
  (parts[0] ?? []).map((_, place) => sumValues(parts.map((values) => values[place] ?? 0)));
