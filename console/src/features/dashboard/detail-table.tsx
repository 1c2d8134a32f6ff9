import { Trans, useLingui } from "@lingui/react/macro";
import type { ModelUsage } from "@tollgate/contract/figures/dashboard.ts";
import { type UIEvent, useState } from "react";
import { Card } from "../../ui/card.tsx";
import { formatInteger, missing } from "../../ui/format.ts";
import { Skeleton } from "../../ui/skeleton.tsx";
import { UnknownFigures } from "./unknown-figures.tsx";
import { useMetricFormats } from "./use-metric-formats.ts";

const rowHeight = 36;
/** Above this number of rows, only those near the scroll position are rendered. */
const plainMax = 300;
const windowRows = 60;
/** The head and five and a half rows: the cut one says that there are more. */
const boxHeight = rowHeight * 6.5;

export function DetailTable({
  rows,
  loading,
  failed,
}: {
  rows: readonly ModelUsage[];
  loading: boolean;
  failed: boolean;
}) {
  const { t } = useLingui();
  const { quotaExact, quota } = useMetricFormats();
  const [top, setTop] = useState(0);
  const sorted = [...rows].sort(
    (a, b) => b.Day.localeCompare(a.Day) || b.RequestCount - a.RequestCount,
  );
  const first = sorted.length <= plainMax ? 0 : Math.max(0, Math.floor(top / rowHeight) - 20);
  const shown = sorted.length <= plainMax ? sorted : sorted.slice(first, first + windowRows);
  const after = sorted.length - first - shown.length;
  const columns = [t`Requests`, t`Quota`, t`Prompt Tokens`, t`Completion Tokens`];
  const follow = (event: UIEvent<HTMLElement>) => {
    // In steps, so that scrolling within the rendered rows causes no render.
    if (sorted.length > plainMax)
      setTop(Math.floor(event.currentTarget.scrollTop / (rowHeight * 10)) * rowHeight * 10);
  };
  return (
    <Card title={<Trans>Detailed Data</Trans>} padded={false}>
      {loading ? (
        <div className="px-4 pb-4">
          <Skeleton className="h-64" />
        </div>
      ) : failed ? (
        <UnknownFigures className="pt-2 pb-8" />
      ) : sorted.length === 0 ? (
        <p className="px-4 pt-2 pb-8 text-center text-muted">
          <Trans>No calls in this period</Trans>
        </p>
      ) : (
        <section
          aria-label={t`Usage by day and model`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
          tabIndex={0}
          onScroll={follow}
          className="overflow-auto"
          style={{ maxHeight: boxHeight }}
        >
          <table
            aria-rowcount={sorted.length + 1}
            className="w-full border-separate border-spacing-0"
          >
            <thead>
              <tr aria-rowindex={1} className="text-muted text-sm">
                <th
                  scope="col"
                  className="sticky top-0 h-9 border-line border-y bg-card px-4 text-start font-medium"
                >
                  <Trans>Day</Trans>
                </th>
                <th
                  scope="col"
                  className="sticky top-0 border-line border-y bg-card px-4 text-start font-medium"
                >
                  <Trans>Model</Trans>
                </th>
                {columns.map((column) => (
                  <th
                    key={column}
                    scope="col"
                    className="numeric sticky top-0 whitespace-nowrap border-line border-y bg-card px-4 font-medium"
                  >
                    {column}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {first > 0 && <tr style={{ height: first * rowHeight }} />}
              {shown.map((row, index) => (
                <tr
                  key={`${row.Day} ${row.ModelName}`}
                  aria-rowindex={first + index + 2}
                  className="hover:bg-hover [&>td]:h-9 [&>td]:border-line [&>td]:border-b [&>td]:px-4 last:[&>td]:border-b-0"
                >
                  <td className="whitespace-nowrap tabular-nums">
                    {row.Day.slice(0, 10) || missing}
                  </td>
                  <td className="whitespace-nowrap font-mono text-sm">
                    {row.ModelName || missing}
                  </td>
                  <td className="numeric">{formatInteger(row.RequestCount)}</td>
                  <td className="numeric" title={quotaExact(row.Quota)}>
                    {quota(row.Quota)}
                  </td>
                  <td className="numeric">{formatInteger(row.PromptTokens)}</td>
                  <td className="numeric">{formatInteger(row.CompletionTokens)}</td>
                </tr>
              ))}
              {after > 0 && <tr style={{ height: after * rowHeight }} />}
            </tbody>
          </table>
        </section>
      )}
    </Card>
  );
}
