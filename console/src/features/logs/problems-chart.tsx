import { useLingui } from "@lingui/react/macro";
import { logTypes, type ProblemsOverTime } from "@tollgate/contract/figures/logs.ts";
import { useState } from "react";
import { findFailureWords } from "../../components/failures/failure-words.ts";
import { outcomeLabels } from "../../components/failures/outcome-labels.ts";
import { useIncidentMarking } from "../../components/failures/use-incident-marking.ts";
import { Button } from "../../ui/button.tsx";
import { calmMark, chooseFailureMark, type SeriesMark } from "../../ui/chart/chart-palette.ts";
import { StackedBars } from "../../ui/chart/stacked-bars.tsx";
import { formatInteger, formatSeconds, formatShort } from "../../ui/format.ts";
import { logTypeOf } from "./log-types.ts";
import { refusedOutcome } from "./problem-filter.ts";

const daySeconds = 86_400;
const nameLengthMax = 80;

type ProblemsChartProps = { overTime: ProblemsOverTime; isOfSlow: boolean };

/** The calls that did not go smoothly, by reason or by channel, in steps of a minute to weeks. */
export function ProblemsChart({ overTime, isOfSlow }: ProblemsChartProps) {
  const { t, i18n } = useLingui();
  const { from, step, by_channel: byChannel } = overTime;
  const marking = useIncidentMarking((place) => from + place * step);
  const [isByChannel, setByChannel] = useState(false);
  // Ordinary users know no channels, and compatible servers may tell none.
  const ofChannels = isByChannel ? byChannel : undefined;
  const other = ofChannels?.other ?? overTime.other;
  const otherName = ofChannels === undefined ? t`Other reasons` : t`Other channels`;
  const nameOf = (outcome: string, content: string): string => {
    // An answered call is here because it was sent again, or because slow ones were asked for.
    if (outcome === "success") return isOfSlow ? t`Slow` : t`Retried`;
    const words = findFailureWords(content);
    if (words !== undefined) return i18n._(words.what);
    const isRefused = outcome === refusedOutcome;
    // What is written to a call that broke off is about its bill.
    if (content !== "" && (isRefused || outcome === "failed")) return content.slice(0, nameLengthMax);
    const known = isRefused ? logTypeOf(logTypes.refused) : outcomeLabels[outcome];
    return known === undefined ? outcome : t(known.label);
  };
  const channelName = (channel: number, name: string) => name || (channel === 0 ? t`No channel` : `#${channel}`);
  // Texts of providers that mean the same are one series.
  const series = new Map<string, { values: number[]; mark?: SeriesMark }>();
  let failures = 0;
  // Red means failure: who left, and calls that were answered late or at the second try, are none.
  const chooseReasonMark = (outcome: string): SeriesMark | undefined => {
    if (outcome === "client_left") return calmMark;
    if (outcome === "success") return undefined;
    failures += 1;
    return chooseFailureMark(failures - 1);
  };
  const add = (name: string, calls: readonly number[], outcome?: string) => {
    const before = series.get(name);
    const mark = before ? before.mark : outcome === undefined ? undefined : chooseReasonMark(outcome);
    const values = calls.map((value, place) => value + (before?.values[place] ?? 0));
    series.set(name, { values, ...(mark !== undefined && { mark }) });
  };
  if (ofChannels === undefined)
    for (const { outcome, content, calls } of overTime.reasons) add(nameOf(outcome, content), calls, outcome);
  else
    for (const { channel, channel_name, calls } of ofChannels.channels) add(channelName(channel, channel_name), calls);
  if (other.some((value) => value > 0)) add(otherName, other);
  const stepText = (place: number) => {
    const text = formatSeconds(from + place * step);
    return step < daySeconds ? text.slice(5, 16) : text.slice(0, 10);
  };
  const ways = [
    { label: t`By reason`, of: false },
    { label: t`By channel`, of: true },
  ];
  return (
    <div className="flex flex-col gap-3">
      {byChannel !== undefined && (
        // biome-ignore lint/a11y/useSemanticElements: switches in a row are no form
        <div role="group" aria-label={t`Problems over time`} className="flex gap-1">
          {ways.map(({ label, of }) => (
            <Button
              key={label}
              size="sm"
              variant="ghost"
              aria-pressed={isByChannel === of}
              onClick={() => setByChannel(of)}
              className="aria-pressed:bg-accent-soft aria-pressed:text-accent"
            >
              {label}
            </Button>
          ))}
        </div>
      )}
      <StackedBars
        key={String(isByChannel)}
        label={ofChannels === undefined ? t`Problems by reason over time` : t`Problems by channel over time`}
        labels={other.map((_, place) => stepText(place))}
        series={[...series].map(([name, one]) => ({ name, ...one }))}
        other={otherName}
        format={formatShort}
        formatExact={formatInteger}
        height={200}
        marking={marking}
        empty={t`No problems in this range.`}
        isCount
      />
    </div>
  );
}
