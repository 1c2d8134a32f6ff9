import { useLingui } from "@lingui/react/macro";
import { logTypes, type ProblemsOverTime } from "@tollgate/contract/figures/logs.ts";
import { useState } from "react";
import { nameReason } from "../../components/failures/name-reason.ts";
import { buildReasonSeries, type ReasonSeries } from "../../components/failures/reason-series.ts";
import { useIncidentMarking } from "../../components/failures/use-incident-marking.ts";
import { Button } from "../../ui/button.tsx";
import { StackedBars } from "../../ui/chart/stacked-bars.tsx";
import { formatInteger, formatSeconds, formatShort } from "../../ui/format.ts";
import { readLogType } from "./log-types.ts";

const daySeconds = 86_400;

type ProblemsChartProps = { overTime: ProblemsOverTime; isOfSlow: boolean };

/** The calls that did not go smoothly, by reason or by channel, in steps of a minute to weeks. */
export function ProblemsChart({ overTime, isOfSlow }: ProblemsChartProps) {
  const { t } = useLingui();
  const { from, step, by_channel: byChannel } = overTime;
  const marking = useIncidentMarking((place) => from + place * step);
  const [isByChannel, setByChannel] = useState(false);
  // Ordinary users know no channels, and compatible servers may tell none.
  const ofChannels = isByChannel ? byChannel : undefined;
  const other = ofChannels?.other ?? overTime.other;
  const otherName = ofChannels === undefined ? t`Other reasons` : t`Other channels`;
  const channelName = (channel: number, name: string) =>
    name || (channel === 0 ? t`No channel` : `#${channel}`);
  const series: ReasonSeries[] =
    ofChannels === undefined
      ? buildReasonSeries(overTime.reasons, (reason) =>
          nameReason(reason, {
            translate: (words) => t(words),
            answered: isOfSlow ? t`Slow` : t`Retried`,
            refused: t(readLogType(logTypes.refused).label),
          }),
        )
      : ofChannels.channels.map(({ channel, channel_name, calls }) => ({
          name: channelName(channel, channel_name),
          values: calls,
        }));
  if (other.some((value) => value > 0)) series.push({ name: otherName, values: other });
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
        label={
          ofChannels === undefined
            ? t`Problems by reason over time`
            : t`Problems by channel over time`
        }
        labels={other.map((_, place) => stepText(place))}
        series={series}
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
