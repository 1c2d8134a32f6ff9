import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import type { Log } from "@tollgate/contract/figures/logs.ts";
import { getTraceOfLog } from "@tollgate/contract/figures/traces.ts";
import { Check, Copy } from "lucide-react";
import { findRequestId, readReason } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { useCopy } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/menu/dialog.tsx";
import { LoadingStatus, Skeleton } from "../../ui/skeleton.tsx";
import { TraceDetails } from "./trace-details.tsx";

type TraceDialogProps = {
  /** The id or uuid of the log entry. */
  reference: string;
  /** The entry, when its list is shown; otherwise the trace brings it. */
  log: Log | undefined;
  onClose: () => void;
};

export function TraceDialog({ reference, log, onClose }: TraceDialogProps) {
  return (
    <Dialog open onClose={onClose} width="lg" title={<Trans>Request Trace</Trans>}>
      <LoadedTrace reference={reference} listed={log} />
    </Dialog>
  );
}

function LoadedTrace({ reference, listed }: { reference: string; listed: Log | undefined }) {
  const { t } = useLingui();
  const trace = useQuery({
    ...api.query(getTraceOfLog, { params: { id: reference } }),
    enabled: listed?.trace_id !== "",
    select: (reply) => reply.data,
  });
  const log = trace.data?.entry ?? listed;
  if (listed?.trace_id === "") {
    return (
      <p className="py-8 text-center text-muted">
        <Trans>No trace information available for this log entry.</Trans>
      </p>
    );
  }
  return (
    <div className="flex flex-col gap-5">
      {log !== undefined && <CopyTraceId id={log.trace_id} />}
      {trace.error !== null ? (
        <Alert
          title={readReason(trace.error, t`Failed to fetch trace data`)}
          requestId={findRequestId(trace.error)}
          onRetry={() => void trace.refetch()}
          retrying={trace.isFetching}
        />
      ) : trace.data === undefined ? (
        <div className="flex flex-col gap-3">
          <LoadingStatus />
          <Skeleton className="h-28" />
          <Skeleton className="h-40" />
          <Skeleton className="h-32" />
        </div>
      ) : log === undefined ? (
        <Alert title={t`This server shows a trace only from the list of logs`} />
      ) : (
        <TraceDetails trace={trace.data} log={log} />
      )}
    </div>
  );
}

function CopyTraceId({ id }: { id: string }) {
  const { t } = useLingui();
  const { outcome, copy } = useCopy();
  const copyLabel =
    outcome === "copied"
      ? t`Copied!`
      : outcome === "selected"
        ? t`Selected: press Ctrl+C to copy`
        : t`Copy`;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span className="text-muted">
        <Trans>Trace id</Trans>
      </span>
      <code className="min-w-0 font-mono text-sm [overflow-wrap:anywhere]">{id}</code>
      <Button
        size="sm"
        icon={outcome === "copied" ? <Check className="text-good" /> : <Copy />}
        onClick={(event) => void copy(id, event.currentTarget)}
      >
        {copyLabel}
      </Button>
      <span role="status" className="sr-only">
        {outcome === "copied" ? t`Trace id copied` : outcome === "selected" ? copyLabel : ""}
      </span>
    </div>
  );
}
