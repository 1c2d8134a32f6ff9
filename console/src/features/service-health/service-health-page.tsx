import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { getServiceHealth, type ServiceHealth } from "@tollgate/contract/figures/service-health.ts";
import clsx from "clsx";
import { findRequestId, readReason } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { useSession } from "../../session.ts";
import { Alert } from "../../ui/alert.tsx";
import { Card } from "../../ui/card.tsx";
import { Page } from "../../ui/page.tsx";
import { LoadingStatus, Skeleton } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { countQuietDays, sortByTrouble } from "./health-order.ts";
import { HealthLegend, ModelHealthRow } from "./model-health-row.tsx";

/** The sums behind it are a minute old at most. */
const refreshEveryMs = 60_000;
const msPerSecond = 1_000;

/** The status page: how the models that the visitor or user may use have fared. */
export function ServiceHealthPage() {
  const { t } = useLingui();
  const { user, status } = useSession();
  const isShown =
    status.status_page === "public" || (status.status_page === "users" && user !== null);
  return (
    <Page
      title={t`Status`}
      subtitle={t`How the models have answered in the last 90 days. Days are UTC.`}
    >
      {isShown ? (
        <Health />
      ) : (
        <Card className="py-16! text-center text-muted">
          {status.status_page === "users" ? (
            <Trans>Sign in to see the status of the models.</Trans>
          ) : (
            <Trans>This site has no status page.</Trans>
          )}
        </Card>
      )}
    </Page>
  );
}

function Health() {
  const { t } = useLingui();
  const health = useQuery({ ...api.query(getServiceHealth), refetchInterval: refreshEveryMs });
  const data = health.data?.data;
  return (
    <>
      {health.isError && (
        <Alert
          title={t`The status could not be loaded`}
          requestId={findRequestId(health.error)}
          onRetry={() => void health.refetch()}
          retrying={health.isFetching}
        >
          {readReason(health.error, t`An unexpected error occurred`)}
        </Alert>
      )}
      {health.isPending && (
        <Card className="flex flex-col gap-4">
          <LoadingStatus />
          {["a", "b", "c", "d", "e"].map((row) => (
            <Skeleton key={row} className="h-16 w-full" />
          ))}
        </Card>
      )}
      {data !== undefined && (
        <>
          <ModelsCard health={data} />
          <IncidentsCard incidents={data.incidents} />
        </>
      )}
    </>
  );
}

function ModelsCard({ health: { models, first_day } }: { health: ServiceHealth }) {
  const failing = models.filter(({ state }) => state === "degraded" || state === "down").length;
  const skipped = countQuietDays(models);
  if (models.length === 0)
    return (
      <Card title={<Trans>Models</Trans>}>
        <p className="py-10 text-center text-muted">
          <Trans>No model is offered here yet.</Trans>
        </p>
      </Card>
    );
  return (
    <>
      <p className={clsx("font-semibold text-2xl", failing === 0 ? "text-good" : "text-bad")}>
        {failing === 0 ? (
          <Trans>All models work</Trans>
        ) : (
          <Plural value={failing} one="Calls to # model fail." other="Calls to # models fail." />
        )}
      </p>
      <Card title={<Trans>Models</Trans>} note={<HealthLegend />}>
        <ul className="mt-3 flex flex-col divide-y divide-line">
          {sortByTrouble(models).map((model) => (
            <ModelHealthRow
              key={model.model}
              health={model}
              firstDay={first_day}
              skipped={skipped}
            />
          ))}
        </ul>
      </Card>
    </>
  );
}

function IncidentsCard({ incidents }: Pick<ServiceHealth, "incidents">) {
  return (
    <Card
      title={<Trans>Incidents</Trans>}
      note={<Trans>Hours of the last week in which most calls failed</Trans>}
    >
      {incidents.length === 0 ? (
        <p className="py-6 text-center text-muted">
          <Trans>No incidents in the last week.</Trans>
        </p>
      ) : (
        <ul className="flex flex-col gap-2">
          {incidents.map(({ model, from, to }) => (
            <li key={`${model} ${from}`} className="flex flex-wrap items-baseline gap-x-4">
              <span className="min-w-0 break-all font-mono text-sm">{model}</span>
              <span className="text-muted text-sm">
                <Time seconds={from / msPerSecond} />
                {" – "}
                {to === null ? <Trans>goes on</Trans> : <Time seconds={to / msPerSecond} />}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
