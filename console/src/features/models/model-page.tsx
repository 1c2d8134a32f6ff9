import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { listDisplayedModels } from "@tollgate/contract/catalogue/models.ts";
import { getDashboard } from "@tollgate/contract/figures/dashboard.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { CallsChart } from "../../components/activity/calls-chart.tsx";
import { countTimes } from "../../components/activity/count-times.ts";
import { LatestCalls } from "../../components/activity/latest-calls.tsx";
import { ModelEndMark } from "../../components/model-end-mark.tsx";
import { Quota } from "../../components/quota.tsx";
import { useUrlText } from "../../components/texts/url-view.ts";
import { hasFeature, isAdmin, useSession } from "../../session.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { SummaryLine } from "../../ui/form/form-summary.tsx";
import { formatInteger, formatPercent, missing } from "../../ui/format.ts";
import { Page } from "../../ui/page.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { FailedTable } from "../../ui/table/data-table-states.tsx";
import { ModelChannelsCard } from "./model-channels-card.tsx";
import { TieredPrice, TokenLimit } from "./model-facts.tsx";
import { groupModels } from "./model-groups.ts";
import { buildDaysOfModel } from "./model-usage.ts";

/** `shownDays` are what an ordinary user may look back. */
const shownDays = 7;

/**
 * `ModelPage` gives one model: its price, how its calls went, and for administrators who serves it.
 */
export function ModelPage() {
  const { t } = useLingui();
  const { user, status } = useSession();
  const [model] = useUrlText("model");
  const admin = isAdmin(user);
  return (
    <Page
      title={model === "" ? t`Model` : model}
      subtitle={admin ? t`Calls of all users, prices and channels` : t`Your calls and their cost`}
      action={
        <>
          {hasFeature(status, "playground") && (
            <ButtonLink to="/playground" search={{ model } as never} variant="primary">
              <Trans>Try it</Trans>
            </ButtonLink>
          )}
          <ButtonLink to="/logs" search={{ model_name: model } as never}>
            <Trans>All calls</Trans>
          </ButtonLink>
        </>
      }
    >
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <UsageCard model={model} admin={admin} />
        <div className="flex min-w-0 flex-col gap-4">
          <PricesCard model={model} admin={admin} />
          {admin && <ModelChannelsCard model={model} />}
        </div>
      </div>
      <Card title={<Trans>Latest calls</Trans>}>
        <LatestCalls filter={{ model_name: model }} />
      </Card>
    </Page>
  );
}

function UsageCard({ model, admin }: { model: string; admin: boolean }) {
  const [days] = useState(() => countTimes(shownDays, "days", Date.now()));
  const usage = useQuery({
    ...api.query(getDashboard, {
      query: {
        from_date: days[0],
        to_date: days.at(-1),
        ...(admin && { user_id: "all" as const }),
      },
    }),
    select: ({ data }) => buildDaysOfModel(data.logs, model, days),
  });
  const { data } = usage;
  const failed =
    data &&
    formatPercent(data.requests === 0 ? Number.NaN : (data.failures / data.requests) * 100, 1);
  return (
    <Card title={<Trans>The last 7 days</Trans>} note={<Trans>Days begin at 00:00 UTC.</Trans>}>
      {usage.error !== null ? (
        <FailedTable
          error={usage.error}
          busy={usage.isFetching}
          onRetry={() => void usage.refetch()}
        />
      ) : data === undefined ? (
        <Skeleton className="h-48" />
      ) : (
        <div className="flex flex-col gap-4">
          <dl className="flex flex-wrap gap-x-10 gap-y-2">
            <Figure name={<Trans>Requests</Trans>}>{formatInteger(data.requests)}</Figure>
            <Figure name={<Trans>Failed</Trans>}>
              {formatInteger(data.failures)}{" "}
              {failed !== missing && <span className="text-muted">{failed}</span>}
            </Figure>
            <Figure name={<Trans>Spent</Trans>}>
              <Quota units={data.quota} />
            </Figure>
          </dl>
          <CallsChart counts={data.counts} steps="days" />
        </div>
      )}
    </Card>
  );
}

function Figure({ name, children }: { name: React.ReactNode; children: React.ReactNode }) {
  return (
    <div>
      <dt className="text-muted text-sm">{name}</dt>
      <dd className="font-semibold text-lg tabular-nums">{children}</dd>
    </div>
  );
}

/** The prices as the list of models has them: one line where all channels ask the same. */
function PricesCard({ model, admin }: { model: string; admin: boolean }) {
  const catalogue = useQuery(api.query(listDisplayedModels));
  if (catalogue.error !== null)
    return (
      <FailedTable
        error={catalogue.error}
        busy={catalogue.isFetching}
        onRetry={() => void catalogue.refetch()}
      />
    );
  if (catalogue.data === undefined) return <Skeleton className="h-32" />;
  const offers = groupModels(catalogue.data.data, admin).flatMap(({ channel, provider, models }) =>
    models
      .filter(({ name }) => name === model)
      .map((offer) => ({ offer, from: channel || provider })),
  );
  return (
    <Card title={<Trans>Prices per 1M tokens</Trans>} action={<ModelEndMark model={model} />}>
      {offers.length === 0 ? (
        <p className="text-muted">
          <Trans>No channel offers this model.</Trans>
        </p>
      ) : (
        <dl className="flex flex-col gap-3">
          {offers.map(({ offer, from }) => (
            <SummaryLine key={from} name={<span className="[overflow-wrap:anywhere]">{from}</span>}>
              <div className="grid grid-cols-3 gap-x-4 gap-y-1 max-sm:grid-cols-2">
                <Offer name={<Trans>Input price</Trans>}>
                  <TieredPrice model={offer} kind="input_price" />
                </Offer>
                <Offer name={<Trans>Output price</Trans>}>
                  <TieredPrice model={offer} kind="output_price" />
                </Offer>
                <Offer name={<Trans>Max tokens</Trans>}>
                  <TokenLimit tokens={offer.max_tokens} />
                </Offer>
              </div>
            </SummaryLine>
          ))}
        </dl>
      )}
    </Card>
  );
}

function Offer({ name, children }: { name: React.ReactNode; children: React.ReactNode }) {
  return (
    <div>
      <p className="text-muted text-xs">{name}</p>
      {children}
    </div>
  );
}
