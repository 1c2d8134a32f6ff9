import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import type { ModelHealth, ServiceState } from "@tollgate/contract/figures/service-health.ts";
import clsx from "clsx";
import { Badge } from "../../ui/badge.tsx";
import { formatDurationMs, formatPercent, missing } from "../../ui/format.ts";

const states = {
  ok: { tone: "good", label: msg`Works` },
  degraded: { tone: "warn", label: msg`Some calls fail` },
  down: { tone: "bad", label: msg`Most calls fail` },
  quiet: { tone: "neutral", label: msg`Few calls lately` },
} as const satisfies Record<ServiceState, unknown>;

const dayMs = 86_400_000;
/**
 * Per cent. A day on which fewer calls succeed is a bad one, and below the other not a good one.
 */
const badBelow = 50;
const goodFrom = 95;
/** A bar that is there at all can be seen. */
const leastHeight = 8;

type ModelHealthRowProps = {
  health: ModelHealth;
  firstDay: string;
  /** Days at the beginning that had no call of any model. */
  skipped: number;
};

/**
 * `ModelHealthRow` is one model: its state, and a strip of days for how many calls succeeded and
 * one for how long they took.
 */
export function ModelHealthRow({ health, firstDay, skipped }: ModelHealthRowProps) {
  const { t } = useLingui();
  const { tone, label } = states[health.state] ?? states.quiet;
  const first = Date.parse(`${firstDay}T00:00:00Z`);
  const slowest = Math.max(1, ...health.days.map(({ latency_ms }) => latency_ms || 0));
  const days = health.days.slice(skipped).map(({ success_rate, latency_ms }, place) => {
    const at = skipped + place;
    const date = Number.isNaN(first)
      ? missing
      : new Date(first + at * dayMs).toISOString().slice(0, 10);
    const share = formatPercent(success_rate, 1);
    const median = formatDurationMs(latency_ms);
    const title =
      success_rate === null
        ? t`${date}: no calls`
        : t`${date}: ${share} succeeded, median ${median}`;
    return { at, title, success_rate, latency_ms };
  });
  const share = formatPercent(health.success_rate, 1);
  const median = formatDurationMs(health.latency_ms);
  return (
    <li className="py-4 first:pt-0 last:pb-0">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <span className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
          <span className="min-w-0 break-all font-mono text-sm">{health.model}</span>
          <Badge tone={tone}>{t(label)}</Badge>
        </span>
        <span className="text-muted text-sm tabular-nums">
          {health.success_rate === null ? (
            <Trans>no calls</Trans>
          ) : (
            <Trans>
              {share} succeeded, median {median}
            </Trans>
          )}
        </span>
      </div>
      <div aria-hidden="true" className="mt-2 flex h-3 gap-px">
        {days.map(({ at, title, success_rate }) => (
          <span
            key={at}
            title={title}
            className={clsx("min-w-0 flex-1 rounded-xs", readColour(success_rate))}
          />
        ))}
      </div>
      <div aria-hidden="true" className="mt-1 flex h-5 items-end gap-px">
        {days.map(({ at, title, latency_ms }) => (
          <span
            key={at}
            title={title}
            style={{ height: `${Math.max(leastHeight, ((latency_ms || 0) / slowest) * 100)}%` }}
            className={clsx(
              "min-w-0 flex-1 rounded-xs",
              latency_ms === null ? "bg-line" : "bg-edge",
            )}
          />
        ))}
      </div>
    </li>
  );
}

/** `HealthLegend` names the colours of the first strip and what the heights of the second are. */
export function HealthLegend() {
  const { t } = useLingui();
  const [good, bad] = [formatPercent(goodFrom, 0), formatPercent(badBelow, 0)];
  const marks = [
    ["bg-good/65", t`${good} or more succeeded`],
    ["bg-warn", t`Less than ${good}`],
    ["bg-bad", t`Less than ${bad}`],
    ["bg-line", t`No calls`],
    ["bg-edge", t`Below: median time, higher is slower`],
  ] as const;
  return (
    <span className="flex flex-wrap gap-x-4 gap-y-1">
      {marks.map(([colour, words]) => (
        <span key={colour} className="inline-flex items-center gap-1.5">
          <span aria-hidden="true" className={clsx("size-3 rounded-xs", colour)} />
          {words}
        </span>
      ))}
    </span>
  );
}

/** A good day is paler than what is wrong, which is then seen first. */
function readColour(successRate: number | null): string {
  if (successRate === null) return "bg-line";
  if (successRate >= goodFrom) return "bg-good/65";
  return successRate < badBelow ? "bg-bad" : "bg-warn";
}
