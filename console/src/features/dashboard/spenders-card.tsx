import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import type { KnownCost } from "@tollgate/contract/catalogue/known-cost.ts";
import type {
  DashboardInsight,
  ModelUsage,
  TokenUsage,
  UserUsage,
} from "@tollgate/contract/figures/dashboard.ts";
import { useState } from "react";
import { FoldingCard } from "../../components/folding-card.tsx";
import { formatMarginText } from "../../components/margin-text.ts";
import { useTeamPayer } from "../../components/teams/team-payer.ts";
import { Button } from "../../ui/button.tsx";
import { formatInteger, formatPercent } from "../../ui/format.ts";
import type { DashboardView } from "./dashboard-view.ts";
import { listDays } from "./date-range.ts";
import { chooseFailureTone } from "./failure-tone.ts";
import {
  listKeySpenders,
  listModelSpenders,
  listUserSpenders,
  type RankedSpender,
  rankSpenders,
  type Spender,
} from "./spender-ranks.ts";
import { useMetricFormats } from "./use-metric-formats.ts";

type SpendersCardProps = {
  view: DashboardView;
  admin: boolean;
  isOfAll: boolean;
  models: readonly ModelUsage[];
  users: readonly UserUsage[];
  tokens: readonly TokenUsage[];
  /** Undefined for one account, and while it loads. */
  channels: DashboardInsight["channels"] | undefined;
  modelCosts: DashboardInsight["model_costs"] | undefined;
};

type SpenderKind = "users" | "keys" | "models" | "channels";
/** `rankedDays` are for all users the server ranks the last week of a longer range. */
const rankedDays = 7;

/** `SpendersCard` says who spends, as ranked bars with their share; each opens its calls. */
export function SpendersCard({
  view,
  admin,
  isOfAll,
  models,
  users,
  tokens,
  channels,
  modelCosts,
}: SpendersCardProps) {
  const { t } = useLingui();
  const [chosen, setChosen] = useState<SpenderKind>();
  const kinds: { kind: SpenderKind; label: string; of: readonly Spender[] }[] = [
    ...(isOfAll ? [{ kind: "users" as const, label: t`Users`, of: listUserSpenders(users) }] : []),
    { kind: "keys", label: t`Keys`, of: listKeySpenders(tokens, isOfAll) },
    { kind: "models", label: t`Models`, of: listModelSpenders(models) },
    ...(isOfAll
      ? [{ kind: "channels" as const, label: t`Channels`, of: listChannelSpenders(channels ?? []) }]
      : []),
  ];
  const shown = kinds.find(({ kind }) => kind === chosen) ?? kinds[0];
  const ranked = rankSpenders(shown?.of ?? []);
  const costs = collectCostsById(shown?.kind, channels ?? [], modelCosts ?? []);
  const isOfLastWeek = isOfAll && shown?.kind !== "models" && listDays(view).length > rankedDays;
  return (
    <FoldingCard
      fold="spenders"
      title={<Trans>Who spends</Trans>}
      note={isOfLastWeek ? <Trans>The last 7 days of the range</Trans> : undefined}
      action={
        // biome-ignore lint/a11y/useSemanticElements: switches in a row are no form
        <div role="group" aria-label={t`Spending by`} className="flex flex-wrap gap-1">
          {kinds.map(({ kind, label }) => (
            <Button
              key={kind}
              size="sm"
              variant="ghost"
              aria-pressed={kind === shown?.kind}
              onClick={() => setChosen(kind)}
              className="aria-pressed:bg-accent-soft aria-pressed:text-accent"
            >
              {label}
            </Button>
          ))}
        </div>
      }
    >
      {ranked.length === 0 ? (
        <p className="py-6 text-center text-muted">
          <Trans>No calls in this period</Trans>
        </p>
      ) : (
        <ol className="flex flex-col gap-3">
          {ranked.map((one) => (
            <SpenderRow
              key={one.id}
              spender={one}
              view={view}
              admin={admin}
              most={ranked[0]?.share ?? 0}
              cost={costs.get(one.id)}
            />
          ))}
        </ol>
      )}
    </FoldingCard>
  );
}

const listChannelSpenders = (channels: NonNullable<DashboardInsight["channels"]>): Spender[] =>
  channels.map(({ id, name, quota, requests, failures }) => ({
    id: String(id),
    name,
    quota,
    requests,
    failures,
    filter: { channel: String(id) },
  }));

/** Costs are known by model and channel alone. */
function collectCostsById(
  kind: SpenderKind | undefined,
  channels: NonNullable<DashboardInsight["channels"]>,
  models: NonNullable<DashboardInsight["model_costs"]>,
): Map<string, KnownCost> {
  if (kind === "models") return new Map(models.map(({ model, cost }) => [model, cost]));
  if (kind !== "channels") return new Map();
  return new Map(channels.flatMap(({ id, cost }) => (cost ? [[String(id), cost]] : [])));
}

type SpenderRowProps = {
  spender: RankedSpender;
  view: DashboardView;
  admin: boolean;
  most: number;
  cost: KnownCost | undefined;
};

function SpenderRow({ spender, view, admin, most, cost }: SpenderRowProps) {
  const { quotaOwn, quotaExact, style } = useMetricFormats();
  const team = useTeamPayer();
  const { name, owner, requests, failures, share } = spender;
  const count = formatInteger(requests);
  const percent = formatPercent(share * 100, 0);
  const failedShare = formatPercent((failures / requests) * 100, 1);
  const margin = cost && formatMarginText(cost, style);
  const costedCount = cost?.requests ?? 0;
  const costed = formatInteger(costedCount);
  // Days are UTC; both ends of the log's range are included.
  const start_timestamp = String(Date.parse(`${view.from}T00:00:00Z`) / 1000);
  const end_timestamp = String(Date.parse(`${view.to}T23:59:59Z`) / 1000);
  const { username, ...filter } = spender.filter;
  const search = {
    ...(team !== undefined && { team }),
    ...filter,
    ...(admin && username !== undefined && { username }),
    start_timestamp,
    end_timestamp,
  };
  return (
    <li>
      <div className="flex min-w-0 flex-wrap items-baseline justify-between gap-x-4">
        <span className="min-w-0 truncate">
          <Link to="/logs" search={search as never} className="py-1.5 text-ink underline-offset-2">
            {name || "–"}
          </Link>
          {owner !== undefined && <span className="text-muted text-sm"> {owner}</span>}
        </span>
        <span className="text-sm tabular-nums" title={quotaExact(spender.quota)}>
          {quotaOwn(spender.quota)} <span className="text-muted">{percent}</span>
        </span>
      </div>
      <span aria-hidden="true" className="mt-1 block h-1.5 overflow-hidden rounded-full bg-line">
        <span
          className="block h-full rounded-full bg-accent"
          style={{ width: `${most === 0 ? 0 : (share / most) * 100}%` }}
        />
      </span>
      <p className="mt-0.5 text-muted text-sm tabular-nums">
        <Plural value={requests} one="1 request" other={`${count} requests`} />
        {failures > 0 && (
          <span className={chooseFailureTone(failures, requests)}>
            {" · "}
            <Trans>{failedShare} failed</Trans>
          </span>
        )}
        {cost && (
          <>
            {" · "}
            <Trans>Margin {margin}</Trans>
            {costedCount < requests && (
              <>
                {" "}
                <Plural value={costedCount} one="of 1 request" other={`of ${costed} requests`} />
              </>
            )}
          </>
        )}
      </p>
    </li>
  );
}
