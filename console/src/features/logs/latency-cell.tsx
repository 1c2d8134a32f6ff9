import clsx from "clsx";
import { formatDurationMs, formatInteger, missing } from "../../ui/format.ts";
import { Tooltip } from "../../ui/menu/tooltip.tsx";

const goodBelowMs = 1_000;
const fairBelowMs = 3_000;

export const buildLatencyTone = (ms: number): "good" | "warn" | "bad" =>
  ms < goodBelowMs ? "good" : ms < fairBelowMs ? "warn" : "bad";

const colours = { good: "text-good", warn: "text-warn", bad: "text-bad" };

export function LatencyCell({ ms }: { ms: number }) {
  if (!(ms > 0)) return <span className="text-muted">{missing}</span>;
  return (
    <Tooltip text={`${formatInteger(ms)} ms`}>
      <span className={clsx("tabular-nums", colours[buildLatencyTone(ms)])}>
        {formatDurationMs(ms)}
      </span>
    </Tooltip>
  );
}
