import { Plural, Trans } from "@lingui/react/macro";
import { Card } from "../../ui/card.tsx";
import { formatInteger } from "../../ui/format.ts";
import { Skeleton } from "../../ui/skeleton.tsx";
import { UnknownFigures } from "./unknown-figures.tsx";
import { computeAverageCost, type ModelEfficiency } from "./usage-metrics.ts";
import { useMetricFormats } from "./use-metric-formats.ts";

const shownMax = 5;

/**
 * `models` are sorted by requests. The bar is the tokens per unit of currency, relative to the best
 * of the five.
 */
export function ModelEfficiencyCard({
  models,
  loading,
  failed,
}: {
  models: readonly ModelEfficiency[];
  loading: boolean;
  failed: boolean;
}) {
  const { quota } = useMetricFormats();
  const top = models.slice(0, shownMax);
  const best = Math.max(0, ...top.map((model) => model.efficiency));
  return (
    <Card
      title={<Trans>Model Efficiency</Trans>}
      note={<Trans>Tokens per dollar of the most called models</Trans>}
    >
      {loading ? (
        <Skeleton className="h-48" />
      ) : failed ? (
        <UnknownFigures className="h-48" />
      ) : top.length === 0 ? (
        <p className="py-6 text-center text-muted">
          <Trans>No efficiency data available</Trans>
        </p>
      ) : (
        <ol className="flex flex-col gap-2">
          {top.map((model, index) => {
            const rank = index + 1;
            const requests = formatInteger(model.requests);
            const cost = quota(computeAverageCost(model));
            const share = best === 0 ? 0 : (model.efficiency / best) * 100;
            return (
              <li key={model.model} className="grid grid-cols-[1.5rem_1fr] items-baseline gap-x-2">
                <span className="text-muted tabular-nums">{rank}.</span>
                <div className="flex min-w-0 flex-wrap items-baseline justify-between gap-x-4 max-sm:flex-col">
                  <span className="min-w-0 truncate font-mono text-sm">{model.model}</span>
                  <span className="text-muted text-sm tabular-nums">
                    <Trans>
                      <Plural
                        value={model.requests}
                        one="1 request"
                        other={`${requests} requests`}
                      />
                      , {cost} on average
                    </Trans>
                  </span>
                </div>
                <span
                  aria-hidden="true"
                  className="col-start-2 mt-1 block h-1.5 overflow-hidden rounded-full bg-line"
                >
                  <span
                    className="block h-full rounded-full bg-accent"
                    style={{ width: `${share}%` }}
                  />
                </span>
              </li>
            );
          })}
        </ol>
      )}
    </Card>
  );
}
