import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import clsx from "clsx";
import { FailureText } from "../../components/failures/failure-text.tsx";
import { formatDurationMs, missing } from "../../ui/format.ts";
import {
  listAxisMarks,
  type TracePhase,
  type Waterfall,
  type WaterfallRow,
} from "./trace-waterfall.ts";

const phaseStyles: Record<TracePhase, { colour: string; label: ReturnType<typeof msg> }> = {
  processing: { colour: "bg-edge", label: msg`Processing` },
  waiting: { colour: "bg-warn/70", label: msg`Waiting for the provider` },
  answering: { colour: "bg-info/80", label: msg`First bytes to the client` },
  streaming: { colour: "bg-accent/80", label: msg`Streaming` },
  finishing: { colour: "bg-faint", label: msg`Closing and charging` },
  attempt: { colour: "bg-good/70", label: msg`Attempt` },
  failed: { colour: "bg-bad", label: msg`Failed attempt` },
};

/** Half the width of a label: the last one must not overflow. */
const labelHalf = "1.5rem";

/**
 * Draws the request and its attempts along a time axis that starts at the arrival of the request.
 */
export function WaterfallChart({ waterfall }: { waterfall: Waterfall }) {
  const { t } = useLingui();
  const { totalMs, rows } = waterfall;
  if (rows.length === 0) {
    return (
      <p className="py-6 text-center text-muted">
        <Trans>No moments were recorded for this request</Trans>
      </p>
    );
  }
  const phases = [...new Set(rows.flatMap((row) => row.segments.map((segment) => segment.phase)))];
  return (
    <div className="flex flex-col gap-3">
      <div className="relative">
        <div
          aria-hidden="true"
          className="relative ml-28 h-5 text-faint text-xs tabular-nums sm:ml-40"
        >
          {listAxisMarks(totalMs).map((mark) => (
            <span
              key={mark}
              className="absolute top-0 -translate-x-1/2 whitespace-nowrap first:translate-x-0 max-sm:even:hidden"
              style={{
                left: totalMs === 0 ? 0 : `min(${(mark / totalMs) * 100}%, 100% - ${labelHalf})`,
              }}
            >
              {formatDurationMs(mark)}
            </span>
          ))}
        </div>
        <ul>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: one channel may be tried twice, and rows never change places
            <WaterfallChartRow key={index} row={row} totalMs={totalMs} />
          ))}
        </ul>
      </div>
      <ul aria-label={t`Phases`} className="flex flex-wrap gap-x-4 gap-y-1 text-muted text-xs">
        {phases.map((phase) => (
          <li key={phase} className="flex items-center gap-1.5">
            <span
              aria-hidden="true"
              className={clsx("size-2.5 rounded-full", phaseStyles[phase].colour)}
            />
            {t(phaseStyles[phase].label)}
          </li>
        ))}
      </ul>
    </div>
  );
}

function WaterfallChartRow({ row, totalMs }: { row: WaterfallRow; totalMs: number }) {
  const { t } = useLingui();
  const share = (ms: number) => `${totalMs === 0 ? 0 : (ms / totalMs) * 100}%`;
  return (
    <li className="grid grid-cols-[7rem_1fr] items-center border-line border-t py-1.5 sm:grid-cols-[10rem_1fr]">
      <span className="min-w-0 pr-3">
        <span className="block truncate text-sm">{row.name}</span>
        <span className="block text-muted text-xs tabular-nums">
          {row.status !== undefined && <>{row.status === 0 ? t`no answer` : row.status} · </>}
          {row.ms === undefined ? missing : formatDurationMs(row.ms)}
        </span>
      </span>
      <span className="min-w-0">
        <span className="relative block h-4 rounded-sm bg-sunken">
          {row.segments.map((segment) => (
            <span
              key={`${segment.phase}-${segment.fromMs}`}
              className={clsx(
                "absolute inset-y-0 min-w-0.5 first:rounded-l-sm last:rounded-r-sm",
                phaseStyles[segment.phase].colour,
              )}
              style={{ left: share(segment.fromMs), width: share(segment.ms) }}
            >
              <span className="sr-only">
                {t(phaseStyles[segment.phase].label)} {formatDurationMs(segment.ms)},{" "}
              </span>
            </span>
          ))}
        </span>
        {row.error !== undefined && row.error !== null && (
          <span className="mt-1 block text-bad text-xs [overflow-wrap:anywhere]">
            <FailureText text={row.error} />
          </span>
        )}
      </span>
    </li>
  );
}
