import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import type { DashboardInsight } from "@tollgate/contract/dashboard.ts";
import clsx from "clsx";
import { Card } from "../../ui/card.tsx";
import { formatInteger } from "../../ui/format.ts";
import { Skeleton } from "../../ui/skeleton.tsx";

type InsightChannel = NonNullable<DashboardInsight["channels"]>[number];
type InsightHour = InsightChannel["hours"][number];

const shownMax = 10;
/** A channel of which this share fails in an hour is as good as down. */
const downFrom = 0.5;

/** The busiest channels by hour: served, failed in part, failed. */
export function ChannelStripsCard({ channels }: { channels: readonly InsightChannel[] | undefined }) {
  return (
    <Card title={<Trans>Channels</Trans>} note={<Trans>The last 24 hours, now at the right</Trans>}>
      {channels === undefined ? (
        <Skeleton className="h-48" />
      ) : channels.length === 0 ? (
        <p className="py-6 text-center text-muted">
          <Trans>No calls in this period</Trans>
        </p>
      ) : (
        <ul className="flex flex-col gap-3">
          {channels.slice(0, shownMax).map((channel) => (
            <ChannelStrip key={channel.id} channel={channel} />
          ))}
        </ul>
      )}
    </Card>
  );
}

function ChannelStrip({ channel }: { channel: InsightChannel }) {
  const { t } = useLingui();
  const hours = channel.hours.map((hour, index) => ({ ...hour, ago: channel.hours.length - 1 - index }));
  const calls = channel.hours.reduce((sum, { requests }) => sum + requests, 0);
  const failures = channel.hours.reduce((sum, hour) => sum + hour.failures, 0);
  const count = formatInteger(calls);
  const failed = formatInteger(failures);
  const search = { channel: String(channel.id), ...(failures > 0 && { view: "problems" }) };
  return (
    <li>
      <div className="flex min-w-0 flex-wrap items-baseline justify-between gap-x-4 text-sm">
        <Link to="/logs" search={search as never} className="min-w-0 truncate text-ink underline-offset-2">
          {channel.name}
        </Link>
        <span className="text-muted tabular-nums">
          {calls === 0 ? <Trans>no calls</Trans> : <Plural value={calls} one="1 call" other={`${count} calls`} />}
          {failures > 0 && (
            <span className="text-bad">
              {" · "}
              <Trans>{failed} failed</Trans>
            </span>
          )}
        </span>
      </div>
      <div aria-hidden="true" className="mt-1 flex h-4 gap-0.5">
        {hours.map(({ ago, ...hour }) => {
          const of = formatInteger(hour.requests);
          const bad = formatInteger(hour.failures);
          return (
            <span
              key={ago}
              title={t`${ago} h ago: ${of} calls, ${bad} failed`}
              className={clsx("min-w-0 flex-1 rounded-xs", colourOf(hour))}
            />
          );
        })}
      </div>
    </li>
  );
}

function colourOf({ requests, failures }: InsightHour): string {
  if (requests === 0) return "bg-sunken";
  if (failures === 0) return "bg-good";
  return failures / requests >= downFrom ? "bg-bad" : "bg-warn";
}
