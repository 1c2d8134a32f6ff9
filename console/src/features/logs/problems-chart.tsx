import { useLingui } from "@lingui/react/macro";
import { logTypes, type ProblemsOverTime } from "@tollgate/contract/logs.ts";
import { useState } from "react";
import { failureWords } from "../../components/failure-words.ts";
import { outcomeLabels } from "../../components/outcome-labels.ts";
import { useIncidentMarking } from "../../components/use-incident-marking.ts";
import { Button } from "../../ui/button.tsx";
import { StackedBars } from "../../ui/chart/stacked-bars.tsx";
import { formatCompact, formatInteger, formatSeconds } from "../../ui/format.ts";
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
    const words = failureWords(content);
    if (words !== undefined) return i18n._(words.what);
    const isRefused = outcome === refusedOutcome;
    // What is written to a call that broke off is about its bill.
    if (content !== "" && (isRefused || outcome === "failed")) return content.slice(0, nameLengthMax);
    const known = isRefused ? logTypeOf(logTypes.refused) : outcomeLabels[outcome];
    return known === undefined ? outcome : t(known.label);
  };
  const channelName = (channel: number, name: string) => name || (channel === 0 ? t`No channel` : `#${channel}`);
  // Texts of providers that mean the same are one series.
  const series = new Map<string, number[]>();
  const add = (name: string, calls: readonly number[]) => {
    const before = series.get(name);
    series.set(
      name,
      calls.map((value, place) => value + (before?.[place] ?? 0)),
    );
  };
  if (ofChannels === undefined)
    for (const { outcome, content, calls } of overTime.reasons) add(nameOf(outcome, content), calls);
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
        series={[...series].map(([name, values]) => ({ name, values }))}
        other={otherName}
        format={formatCompact}
        formatExact={formatInteger}
        height={200}
        marking={marking}
        empty={t`No problems in this range.`}
        isCount
      />
    </div>
  );
}
