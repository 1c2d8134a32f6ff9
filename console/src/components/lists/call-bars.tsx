import { useLingui } from "@lingui/react/macro";
import type { CallCount } from "@tollgate/contract/figures/recent-calls.ts";
import { formatInteger } from "../../ui/format.ts";

const height = 20;
const barWidth = 3;
const gap = 1;

/** A bar for each hour or day, with the failed calls at its foot. */
export function CallBars({ counts }: { counts: readonly CallCount[] }) {
  const { t } = useLingui();
  const most = Math.max(1, ...counts.map(({ requests }) => requests));
  const sumOf = (measure: keyof CallCount) =>
    formatInteger(counts.reduce((sum, count) => sum + count[measure], 0));
  const calls = sumOf("requests");
  const failed = sumOf("failures");
  const sentence = t`${calls} calls, ${failed} failed`;
  return (
    <svg
      role="img"
      aria-label={sentence}
      width={counts.length * (barWidth + gap)}
      height={height}
      className="block"
    >
      <title>{sentence}</title>
      {counts.map(({ requests, failures }, index) => {
        const whole = requests === 0 ? 1 : Math.max(2, (requests / most) * height);
        const bad =
          requests === 0 || failures === 0 ? 0 : Math.max(2, (failures / requests) * whole);
        const x = index * (barWidth + gap);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place in time.
          <g key={index}>
            <rect
              {...{ x, y: height - whole, width: barWidth, height: whole }}
              fill={requests === 0 ? "var(--line)" : "var(--good)"}
            />
            {bad > 0 && (
              <rect {...{ x, y: height - bad, width: barWidth, height: bad }} fill="var(--bad)" />
            )}
          </g>
        );
      })}
    </svg>
  );
}
