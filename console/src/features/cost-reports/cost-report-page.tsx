import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { getChannel } from "@tollgate/contract/catalogue/channels.ts";
import { listCostReports } from "@tollgate/contract/figures/cost-reports.ts";
import { findRequestId } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { Alert } from "../../ui/alert.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { FilterField, Select } from "../../ui/form/input.tsx";
import { Page } from "../../ui/page.tsx";
import { LoadingStatus, Skeleton } from "../../ui/skeleton.tsx";
import { CostComparisonCards } from "./cost-comparison-cards.tsx";
import { CostReportCard } from "./cost-report-card.tsx";

/**
 * `CostReportPage` shows what the provider of a channel says that it charged, beside what was
 * charged here. The channel is in the address.
 */
export function CostReportPage() {
  const { t } = useLingui();
  const search: Record<string, unknown> = useSearch({ strict: false });
  const navigate = useNavigate();
  const reports = useQuery({
    ...api.query(listCostReports),
    // An entry without a channel, as another server may send it, is none that can be chosen.
    select: ({ data }) => data.filter(({ channel_id }) => Number.isInteger(channel_id)),
  });
  const asked = Number(search.channel);
  const chosen = Number.isInteger(asked) && asked > 0 ? asked : reports.data?.[0]?.channel_id;
  const report = reports.data?.find(({ channel_id }) => channel_id === chosen);
  const named = useQuery({
    ...api.query(getChannel, { params: { id: chosen ?? 0 } }),
    enabled: reports.data !== undefined && chosen !== undefined && report === undefined,
    select: (reply) => reply.data,
  });
  const failed = [reports, named].find(({ error }) => error !== null);
  const channel =
    report ??
    (named.data && {
      channel_id: named.data.id,
      channel_name: named.data.name,
      type: named.data.type,
    });
  const choices = [
    ...(reports.data ?? []).map(({ channel_id, channel_name }) => ({ channel_id, channel_name })),
    ...(report === undefined && channel !== undefined ? [channel] : []),
  ];
  return (
    <Page
      title={t`Reconciliation`}
      subtitle={t`What providers charged next to what was charged here, by UTC day and model`}
      action={
        choices.length > 0 && (
          <FilterField label={t`Channel`} className="min-w-48">
            {(id) => (
              <Select
                id={id}
                value={chosen ?? ""}
                onChange={({ target }) =>
                  void navigate({
                    to: ".",
                    search: { channel: Number(target.value) } as never,
                    replace: true,
                  })
                }
              >
                {choices.map(({ channel_id, channel_name }) => (
                  <option dir="auto" key={channel_id} value={channel_id}>
                    {channel_name}
                  </option>
                ))}
              </Select>
            )}
          </FilterField>
        )
      }
    >
      {failed?.error ? (
        <Alert
          title={t`The reports could not be loaded`}
          requestId={findRequestId(failed.error)}
          onRetry={() => void failed.refetch()}
          retrying={failed.isFetching}
        >
          {failed.error.message}
        </Alert>
      ) : reports.data === undefined || (chosen !== undefined && channel === undefined) ? (
        <div className="flex flex-col gap-4">
          <LoadingStatus />
          <Skeleton className="h-40" />
          <Skeleton className="h-64" />
        </div>
      ) : channel === undefined ? (
        <Card title={<Trans>No channel has a report key yet</Trans>}>
          <p className="mb-4 max-w-prose text-muted">
            <Trans>
              OpenAI, Anthropic and OpenRouter report what an organisation was charged. Edit such a
              channel and choose "Reconcile costs".
            </Trans>
          </p>
          <ButtonLink to="/channels" variant="primary">
            <Trans>Channels</Trans>
          </ButtonLink>
        </Card>
      ) : (
        <>
          <CostReportCard key={channel.channel_id} channel={channel} report={report} />
          {report !== undefined && <CostComparisonCards report={report} />}
        </>
      )}
    </Page>
  );
}
