/**
 * The text that `tollgate audit --usage` prints of the comparison with the reports of providers.
 */
import type {
  ComparedCost,
  CostComparison,
  CostFigures,
  CostReportFailure,
} from "@tollgate/contract/figures/cost-reports.ts";
import { differsAbove } from "./compare-costs.ts";
import type { ChannelReport } from "./cost-report-store.ts";

const microsPerDollar = 1_000_000;
const formatDollars = (micros: number): string => `$${(micros / microsPerDollar).toFixed(6)}`;

const failureWords: Readonly<Record<CostReportFailure, string>> = {
  refused_key: "the provider refused the report key",
  rate_limited: "the provider wants fewer requests",
  provider_status: "the provider answered with an error",
  no_answer: "the provider did not answer in time",
  unreachable: "the provider could not be reached",
  unreadable: "the provider's answer could not be read",
  too_long: "the provider's report was too long",
  address_changed: "the address of the channel changed: the report key must be entered again",
  key_unreadable: "the report key was sealed with another master key",
};

export interface ReportedChannel {
  report: ChannelReport;
  comparison: CostComparison;
}

/** `isOff` says whether a channel's closed days differ by more than the threshold. */
export const isOff = ({ comparison }: ReportedChannel, thresholdPercent: number): boolean =>
  comparison.closed_days > 0 && differsAbove(comparison.total, thresholdPercent);

export function formatCostReportLines(
  reported: readonly ReportedChannel[],
  thresholdPercent: number,
): string[] {
  if (reported.length === 0)
    return ["No channel has a report key: nothing was compared with what providers charged."];
  return reported.flatMap((channel) => {
    const { report, comparison } = channel;
    const name = `costs of channel ${report.channel_id} (${report.channel_name})`;
    const failure = failureWords[report.failure as CostReportFailure];
    const unfinished = comparison.days.filter(({ state }) => state !== "closed");
    const verdict = isOff(channel, thresholdPercent)
      ? `differs by more than ${thresholdPercent} %`
      : `within ${thresholdPercent} %`;
    return [
      ...(failure === undefined
        ? []
        : [`${name}: the last attempt to read them failed, ${failure}.`]),
      ...comparison.days
        .toReversed()
        .flatMap(({ day, state, lines }) =>
          lines.map(
            (line) =>
              `${name}, ${day}${state === "closed" ? "" : ` (${state})`}, ${compareLine(line)}`,
          ),
        ),
      ...(comparison.closed_days === 0
        ? [`${name}: no finished day was read.`]
        : [
            `${name}, ${comparison.closed_days} finished ${comparison.closed_days === 1 ? "day" : "days"}: ${compareSides(comparison.total)}; ${verdict}.`,
          ]),
      ...(unfinished.length === 0
        ? []
        : [
            `${name}: ${unfinished.length === 1 ? "1 day is" : `${unfinished.length} days are`} open or incomplete and not part of that sum.`,
          ]),
    ];
  });
}

const compareLine = (line: ComparedCost): string =>
  `${line.models.join(" = ")}: ${compareSides(line)}`;

function compareSides({
  charged,
  reported,
  difference_micros,
  difference_percent,
}: ComparedCost): string {
  const percent = difference_percent === null ? "" : ` (${difference_percent} %)`;
  const difference =
    difference_micros === null
      ? "no costs to compare"
      : `difference ${difference_micros < 0 ? "-" : ""}${formatDollars(Math.abs(difference_micros))}${percent}`;
  return `charged ${formatSideText(charged)}, reported ${formatSideText(reported)}, ${difference}`;
}

function formatSideText(side: CostFigures | null): string {
  if (side === null) return "nothing";
  const { prompt_tokens: prompt, completion_tokens: completion, cost_micros: cost } = side;
  const tokens =
    prompt === null && completion === null ? [] : [`${prompt ?? 0} + ${completion ?? 0} tokens`];
  return [...tokens, ...(cost === null ? [] : [formatDollars(cost)])].join(" for ") || "nothing";
}
