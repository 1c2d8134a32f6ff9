import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import type { DashboardInsight } from "@tollgate/contract/figures/dashboard.ts";
import { useState } from "react";
import { useIncidentMarking } from "../../components/failures/use-incident-marking.ts";
import { FoldingCard } from "../../components/folding-card.tsx";
import { ChartSurface } from "../../ui/chart/chart-surface.tsx";
import { formatInteger } from "../../ui/format.ts";
import { Skeleton } from "../../ui/skeleton.tsx";
import { chooseFailureTone } from "./failure-tone.ts";

type InsightChannel = NonNullable<DashboardInsight["channels"]>[number];
type InsightHour = InsightChannel["hours"][number];

const shownMax = 10;
/** A channel of which this share fails in an hour is as good as down. */
const downFrom = 0.5;

/** The busiest channels by hour: served, failed in part, failed. */
export function ChannelStripsCard({
  channels,
}: {
  channels: readonly InsightChannel[] | undefined;
}) {
  return (
    <FoldingCard
      fold="channels"
      title={<Trans>Channels</Trans>}
      note={<Trans>The last 24 hours, now at the right</Trans>}
    >
      {channels === undefined ? (
        <Skeleton className="h-48" />
      ) : channels.length === 0 ? (
        <p className="py-6 text-center text-muted">
          <Trans>No calls in this period</Trans>
        </p>
      ) : (
        <ul className="grid grid-cols-[minmax(0,1fr)] gap-x-8 gap-y-3 lg:grid-cols-2">
          {channels.slice(0, shownMax).map((channel) => (
            <ChannelStrip key={channel.id} channel={channel} />
          ))}
        </ul>
      )}
    </FoldingCard>
  );
}

const stripHeight = 16;
const gap = 2;
const noMargins = { left: 0, right: 0, top: 0, bottom: 0 };

/** `ChannelStrip` lets pointer and keyboard mark hours, which are then shown as an incident. */
function ChannelStrip({ channel }: { channel: InsightChannel }) {
  const { t } = useLingui();
  const [nowMs] = useState(() => Date.now());
  const hours = channel.hours.map((hour, index) => ({
    ...hour,
    ago: channel.hours.length - 1 - index,
  }));
  const calls = channel.hours.reduce((sum, { requests }) => sum + requests, 0);
  const failures = channel.hours.reduce((sum, hour) => sum + hour.failures, 0);
  const count = formatInteger(calls);
  const failed = formatInteger(failures);
  const { name } = channel;
  const hourText = (index: number): string => {
    const { ago = 0, requests = 0, failures: failedThen = 0 } = hours[index] ?? {};
    const [of, bad] = [formatInteger(requests), formatInteger(failedThen)];
    return t`${ago} h ago: ${of} calls, ${bad} failed`;
  };
  const hourS = 3_600;
  const firstS = (Math.floor(nowMs / 1_000 / hourS) - hours.length + 1) * hourS;
  const marking = useIncidentMarking((place) => firstS + place * hourS);
  const search = { channel: String(channel.id), ...(failures > 0 && { view: "problems" }) };
  return (
    <li>
      <div className="flex min-w-0 flex-wrap items-baseline justify-between gap-x-4 text-sm">
        <Link
          dir="auto"
          to="/logs"
          search={search as never}
          className="-my-0.5 min-w-0 truncate py-0.5 text-ink underline-offset-2"
        >
          {channel.name}
        </Link>
        <span className="text-muted tabular-nums">
          {calls === 0 ? (
            <Trans>no calls</Trans>
          ) : (
            <Plural value={calls} one="1 call" other={`${count} calls`} />
          )}
          {failures > 0 && (
            <span className={chooseFailureTone(failures, calls)}>
              {" · "}
              <Trans>{failed} failed</Trans>
            </span>
          )}
        </span>
      </div>
      <div className="mt-1">
        <ChartSurface
          label={t`Calls of ${name} by hour`}
          height={stripHeight}
          margins={noMargins}
          count={hours.length}
          spread="bands"
          draw={({ width, height }) => {
            const step = width / Math.max(1, hours.length);
            return hours.map(({ ago, ...hour }, index) => (
              <rect
                key={ago}
                x={index * step}
                width={Math.max(0, step - gap)}
                height={height}
                rx={2}
                className={readColour(hour)}
              />
            ));
          }}
          highlight={(index, { width, height }) => (
            <rect
              x={(index * width) / hours.length}
              width={Math.max(0, width / hours.length - gap)}
              height={height}
              rx={2}
              fill="none"
              stroke="var(--ink)"
            />
          )}
          tip={hourText}
          sentence={hourText}
          marking={marking}
        />
      </div>
    </li>
  );
}

function readColour({ requests, failures }: InsightHour): string {
  if (requests === 0) return "fill-line";
  if (failures === 0) return "fill-good";
  return failures / requests >= downFrom ? "fill-bad" : "fill-warn";
}
