import { Trans, useLingui } from "@lingui/react/macro";
import { ChartColumn } from "lucide-react";
import { useState } from "react";
import { requestIdOf } from "../../api-error.ts";
import { quotaStyle, useSession } from "../../session.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { formatInteger, formatQuota } from "../../ui/format.ts";
import { Skeleton } from "../../ui/skeleton.tsx";
import { type LogRequest, useLogStat } from "./log-queries.ts";

/** The total cost of all entries that match the filter. Requested only while shown. */
export function LogStatistics({ request }: { request: LogRequest }) {
  const { t } = useLingui();
  const { status } = useSession();
  const [shown, setShown] = useState(false);
  const stat = useLogStat(request, shown);
  const units = formatInteger(stat.data?.quota);
  const money = formatQuota(stat.data?.quota, quotaStyle(status));
  return (
    <div className="flex min-h-8 flex-wrap items-center gap-x-4 gap-y-2">
      <Button
        size="sm"
        icon={<ChartColumn />}
        aria-expanded={shown}
        aria-controls="log-statistics"
        onClick={() => setShown(!shown)}
      >
        <span className="max-sm:sr-only">
          {shown ? <Trans>Hide statistics</Trans> : <Trans>Show statistics</Trans>}
        </span>
      </Button>
      <div id="log-statistics" className={shown ? "min-w-0" : "hidden"}>
        {stat.error !== null ? (
          <Alert
            title={t`The statistics could not be loaded`}
            requestId={requestIdOf(stat.error)}
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
      </div>
    </div>
  );
}
