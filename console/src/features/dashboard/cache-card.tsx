import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { listDisplayedModels } from "@tollgate/contract/catalogue/models.ts";
import type { DashboardInsight, ModelUsage } from "@tollgate/contract/figures/dashboard.ts";
import { api } from "../../api-queries.ts";
import { FoldingCard } from "../../components/folding-card.tsx";
import { formatPercent, formatShort, missing } from "../../ui/format.ts";
import { collectSavings, listCacheByModel } from "./cache-savings.ts";
import { useMetricFormats } from "./use-metric-formats.ts";

const shownMax = 4;

interface CacheCardProps {
  rows: readonly ModelUsage[];
  /** `marks` are what the gateway's own marks for these caches saved; undefined where it set none. */
  marks: NonNullable<DashboardInsight["prompt_marks"]> | undefined;
}

/** `CacheCard` says how many prompt tokens came from caches of providers, and what that saved. */
export function CacheCard({ rows, marks }: CacheCardProps) {
  const { t } = useLingui();
  const { quotaOwn, perUnit } = useMetricFormats();
  const prices = useQuery({
    ...api.query(listDisplayedModels),
    select: (reply) => collectSavings(reply.data),
  });
  const models = listCacheByModel(rows, prices.data ?? new Map());
  const prompt = rows.reduce((sum, row) => sum + (row.PromptTokens || 0), 0);
  const cached = models.reduce((sum, { cachedTokens }) => sum + cachedTokens, 0);
  const dollars = models.reduce((sum, { savedDollars }) => sum + (savedDollars ?? 0), 0);
  const unpriced = models.filter(({ savedDollars }) => savedDollars === undefined).length;
  const share = prompt === 0 ? missing : formatPercent((cached / prompt) * 100, 1);
  return (
    <FoldingCard
      fold="cache"
      title={<Trans>Prompt cache</Trans>}
      note={<Trans>At today's prices, before the ratio of the group</Trans>}
    >
      <dl className="grid grid-cols-2 gap-x-4">
        <div>
          <dt className="font-medium text-muted text-xs">{t`Prompt tokens from caches`}</dt>
          <dd className="font-medium text-base tabular-nums">{share}</dd>
        </div>
        <div>
          <dt className="font-medium text-muted text-xs">{t`Saved`}</dt>
          <dd className="font-medium text-base tabular-nums">
            {cached === 0 || prices.data === undefined ? missing : quotaOwn(dollars * perUnit)}
          </dd>
        </div>
      </dl>
      {models.length > 0 && (
        <ul className="mt-3 flex flex-col gap-2">
          {models.slice(0, shownMax).map(({ model, promptTokens, cachedTokens, savedDollars }) => {
            const part = formatPercent((cachedTokens / promptTokens) * 100, 0);
            const tokens = formatShort(cachedTokens);
            return (
              <li key={model}>
                <div className="flex min-w-0 flex-wrap items-baseline justify-between gap-x-4 max-sm:flex-col text-sm">
                  <span className="min-w-0 truncate font-mono">{model}</span>
                  <span className="text-muted tabular-nums">
                    <Trans>
                      {tokens} tokens, {part}
                    </Trans>
                    {savedDollars !== undefined && ` · ${quotaOwn(savedDollars * perUnit)}`}
                  </span>
                </div>
                <span
                  aria-hidden="true"
                  className="mt-1 block h-1.5 overflow-hidden rounded-full bg-line"
                >
                  <span
                    className="block h-full rounded-full bg-accent"
                    style={{ width: `${Math.min(1, cachedTokens / promptTokens) * 100}%` }}
                  />
                </span>
              </li>
            );
          })}
        </ul>
      )}
      {marks !== undefined && <MarksLine {...marks} />}
      {prices.data !== undefined && unpriced > 0 && (
        <p className="mt-2 text-muted text-sm">
          <Plural
            value={unpriced}
            one="1 model is not counted as saving: no channel offers it now."
            other="# models are not counted as saving: no channel offers them now."
          />
        </p>
      )}
    </FoldingCard>
  );
}

/** `MarksLine` is a figure of its own: it counts what the calls were charged, and their writing. */
function MarksLine({ requests, saved }: NonNullable<CacheCardProps["marks"]>) {
  const { quotaOwn } = useMetricFormats();
  const amount = quotaOwn(Math.abs(saved));
  return (
    <p className="mt-2 text-muted text-sm">
      {saved < 0 ? (
        <Plural
          value={requests}
          one={`Marks of the gateway in 1 call cost ${amount} more than they saved.`}
          other={`Marks of the gateway in # calls cost ${amount} more than they saved.`}
        />
      ) : (
        <Plural
          value={requests}
          one={`Marks of the gateway in 1 call saved ${amount}, less what writing cost.`}
          other={`Marks of the gateway in # calls saved ${amount}, less what writing cost.`}
        />
      )}
    </p>
  );
}
