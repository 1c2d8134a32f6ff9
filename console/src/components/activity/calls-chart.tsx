import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import type { CallCount } from "@tollgate/contract/figures/recent-calls.ts";
import type { SeriesMark } from "../../ui/chart/chart-palette.ts";
import { StackedBars } from "../../ui/chart/stacked-bars.tsx";
import { formatInteger, formatShort } from "../../ui/format.ts";
import { countTimes } from "./count-times.ts";

const labels = { hours: msg`Calls an hour`, days: msg`Calls a day` };
const succeededMark: SeriesMark = { colour: "var(--accent)", hatch: 0 };
/** Striped, so that it is told apart without colours too. */
const failedMark: SeriesMark = { colour: "var(--bad)", hatch: 1 };

type CallsChartProps = {
  /** Oldest first; the last hour or UTC day still runs. */
  counts: readonly CallCount[];
  steps: keyof typeof labels;
};

/** The calls of one thing by hour or day, with those that failed. */
export function CallsChart({ counts, steps }: CallsChartProps) {
  const { t } = useLingui();
  return (
    <StackedBars
      label={t(labels[steps])}
      labels={countTimes(counts.length, steps, Date.now())}
      areTimes={steps === "hours"}
      series={[
        { name: t`Failed`, mark: failedMark, values: counts.map(({ failures }) => failures) },
        {
          name: t`Succeeded`,
          mark: succeededMark,
          values: counts.map(({ requests, failures }) => requests - failures),
        },
      ]}
      isCount
      format={formatShort}
      formatExact={formatInteger}
      height={140}
      empty={steps === "hours" ? t`No calls in the last 24 hours` : t`No calls in these days`}
    />
  );
}
