import { useLingui } from "@lingui/react/macro";
import { logTypes, type ProblemsOverTime } from "@tollgate/contract/logs.ts";
import { failureWords } from "../../components/failure-words.ts";
import { outcomeLabels } from "../../components/outcome-labels.ts";
import { useIncidentMarking } from "../../components/use-incident-marking.ts";
import { StackedBars } from "../../ui/chart/stacked-bars.tsx";
import { formatCompact, formatInteger, formatSeconds } from "../../ui/format.ts";
import { logTypeOf } from "./log-types.ts";
import { refusedOutcome } from "./problem-filter.ts";

const daySeconds = 86_400;
const nameLengthMax = 80;

type ProblemsChartProps = { overTime: ProblemsOverTime; isOfSlow: boolean };

/** The calls that did not go smoothly, by reason, in steps of a minute to weeks. */
export function ProblemsChart({ overTime: { from, step, reasons, other }, isOfSlow }: ProblemsChartProps) {
  const { t, i18n } = useLingui();
  const marking = useIncidentMarking((place) => from + place * step);
  const otherName = t`Other reasons`;
  const nameOf = (outcome: string, content: string): string => {
    // An answered call is here because it was sent again, or because slow ones were asked for.
    if (outcome === "success") return isOfSlow ? t`Slow` : t`Retried`;
    const words = failureWords(content);
    if (words !== undefined) return i18n._(words.what);
    const isRefused = outcome === refusedOutcome;
    // What is written to a call that broke off is about its bill.
    if (content !== "" && (isRefused || outcome === "failed")) return content.slice(0, nameLengthMax);
    const known = isRefused ? logTypeOf(logTypes.refused) : outcomeLabels[outcome];
    return known === undefined ? outcome : t(known.label);
  };
  // Texts of providers that mean the same are one series.
  const series = new Map<string, number[]>();
  const add = (name: string, calls: readonly number[]) => {
    const before = series.get(name);
    series.set(
      name,
      calls.map((value, place) => value + (before?.[place] ?? 0)),
    );
  };
  for (const { outcome, content, calls } of reasons) add(nameOf(outcome, content), calls);
  if (other.some((value) => value > 0)) add(otherName, other);
  const stepText = (place: number) => {
    const text = formatSeconds(from + place * step);
    return step < daySeconds ? text.slice(5, 16) : text.slice(0, 10);
  };
  return (
    <StackedBars
      label={t`Problems by reason over time`}
      labels={other.map((_, place) => stepText(place))}
      series={[...series].map(([name, values]) => ({ name, values }))}
      other={otherName}
      format={formatCompact}
      formatExact={formatInteger}
      height={200}
      marking={marking}
      empty={t`No problems in this range.`}
    />
  );
}
