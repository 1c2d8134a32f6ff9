import { Trans, useLingui } from "@lingui/react/macro";
import { findRequestId } from "../../api-error.ts";
import { buildQuotaStyle, useSession } from "../../session.ts";
import { Alert } from "../../ui/alert.tsx";
import { formatInteger, formatQuota } from "../../ui/format.ts";
import { Skeleton } from "../../ui/skeleton.tsx";
import { type LogRequest, useLogStat } from "./log-queries.ts";

export function LogStatisticsFigures({ request }: { request: LogRequest }) {
  const { t } = useLingui();
  const { status } = useSession();
  const stat = useLogStat(request, true);
  const units = formatInteger(stat.data?.quota);
  const money = formatQuota(stat.data?.quota, buildQuotaStyle(status));
  return (
    <>
      {stat.error !== null ? (
        <Alert
          title={t`The statistics could not be loaded`}
          requestId={findRequestId(stat.error)}
          onRetry={() => void stat.refetch()}
          retrying={stat.isFetching}
        >
          {stat.error.message}
        </Alert>
      ) : (
        <p className="flex flex-wrap items-baseline gap-x-2">
          <span className="text-muted">
            <Trans>Total Quota</Trans>
          </span>
          {stat.data === undefined ? (
            <Skeleton className="h-6 w-24" />
          ) : (
            <>
              <span className="font-semibold text-lg tabular-nums">{money}</span>
              <span className="text-muted text-sm tabular-nums">
                <Trans>{units} quota units</Trans>
                {stat.data.capped === true && <Trans>, of the newest entries only</Trans>}
                {request.keyword !== "" && <Trans>, without the text search</Trans>}
              </span>
            </>
          )}
        </p>
      )}
    </>
  );
}
