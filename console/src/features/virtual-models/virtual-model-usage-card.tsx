import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { getVirtualModelUsage } from "@tollgate/contract/catalogue/virtual-models.ts";
import { api } from "../../api-queries.ts";
import { CardLoading } from "../../components/forms/form-loading.tsx";
import { Quota } from "../../components/quota.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import {
  formatDurationMs,
  formatInteger,
  formatPercent,
  formatShort,
  missing,
} from "../../ui/format.ts";
import { SmallTable } from "../../ui/table/small-table.tsx";

/** `VirtualModelUsageCard` shows what calls to the name became, by the model that answered. */
export function VirtualModelUsageCard({ id }: { id: string }) {
  const { t } = useLingui();
  const usage = useQuery({
    ...api.query(getVirtualModelUsage, { params: { id } }),
    select: (reply) => reply.data,
  });
  const rows = usage.data ?? [];
  const total = rows.reduce((sum, { calls }) => sum + calls, 0);
  const shareOf = (calls: number) =>
    total > 0 && Number.isFinite(calls) ? formatPercent((calls / total) * 100, 0, 1) : missing;
  const heads = [
    t`Calls`,
    t`Share`,
    t`Failed`,
    t`After a failure`,
    t`First content`,
    t`Tokens`,
    t`Charged`,
  ];
  return (
    <Card
      title={<Trans>Last 24 hours</Trans>}
      note={
        <Trans>
          Calls to this name by the model that answered, among the newest 20,000 of the log
        </Trans>
      }
      action={
        <Button
          size="sm"
          busy={usage.isFetching && usage.data !== undefined}
          onClick={() => void usage.refetch()}
        >
          <Trans>Refresh</Trans>
        </Button>
      }
    >
      {usage.data === undefined || usage.error !== null ? (
        <CardLoading source={usage} />
      ) : rows.length === 0 ? (
        <p className="text-muted">
          <Trans>No call yet.</Trans>
        </p>
      ) : (
        <SmallTable label={t`Calls by model`} words={[t`Model`]} figures={heads}>
          <tbody>
            {rows.map(
              ({ model, calls, failures, after_failure, first_content_ms, tokens, quota }) => (
                <tr key={model} className="border-line border-t">
                  <th
                    scope="row"
                    className="min-w-32 px-3 py-2 text-start font-mono font-normal [overflow-wrap:anywhere]"
                  >
                    {model}
                  </th>
                  <td className="numeric px-3">{formatInteger(calls)}</td>
                  <td className="numeric whitespace-nowrap px-3">{shareOf(calls)}</td>
                  <td className="numeric px-3">{formatInteger(failures)}</td>
                  <td className="numeric px-3">{formatInteger(after_failure)}</td>
                  <td className="numeric whitespace-nowrap px-3">
                    {formatDurationMs(first_content_ms)}
                  </td>
                  <td className="numeric px-3">{formatShort(tokens)}</td>
                  <td className="numeric px-3">
                    <Quota units={quota} />
                  </td>
                </tr>
              ),
            )}
          </tbody>
        </SmallTable>
      )}
    </Card>
  );
}
