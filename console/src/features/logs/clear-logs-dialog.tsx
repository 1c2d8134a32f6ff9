import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { clearLogs, getLogStat, listLogs, searchLogs } from "@tollgate/contract/logs.ts";
import { useId, useState } from "react";
import { api } from "../../api.ts";
import { reasonOf, requestIdOf } from "../../api-error.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { formatInteger, formatSeconds } from "../../ui/format.ts";
import { Input } from "../../ui/input.tsx";
import { toast } from "../../ui/toast.tsx";
import { fromField, toField } from "./log-filter.ts";

const defaultAgeSeconds = 720 * 3_600;

export function ClearLogsDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  const clear = useMutation(api.mutation(clearLogs, { refreshes: [listLogs, searchLogs, getLogStat] }));
  return (
    <Dialog open onClose={onClose} locked={clear.isPending} title={<Trans>Clear Logs</Trans>}>
      <ClearLogsForm
        busy={clear.isPending}
        error={clear.error}
        onCancel={onClose}
        onClear={async (target_timestamp) => {
          const { data } = await clear.mutateAsync({ query: { target_timestamp } });
          const removed = formatInteger(data ?? 0);
          onClose();
          toast(t`${removed} log entries deleted`);
        }}
      />
    </Dialog>
  );
}

type ClearLogsFormProps = {
  busy: boolean;
  error: Error | null;
  onCancel: () => void;
  onClear: (targetSeconds: number) => Promise<void>;
};

function ClearLogsForm({ busy, error, onCancel, onClear }: ClearLogsFormProps) {
  const { t } = useLingui();
  const id = useId();
  const [text, setText] = useState(() => toField(Math.floor(Date.now() / 1000) - defaultAgeSeconds));
  const target = fromField(text);
  // Told when it is known; the question does not wait for it.
  const found = useQuery({
    ...api.query(listLogs, { query: { end_timestamp: Math.max(0, (target ?? 1) - 1), size: 1, order: "asc" } }),
    enabled: target !== undefined,
    select: (reply) => ({
      total: reply.total,
      capped: reply.total_capped === true,
      oldest: formatSeconds(reply.data[0]?.created_at),
    }),
  });
  const oldest = found.data?.oldest ?? "";
  const isNone = found.data?.total === 0;
  const date = formatSeconds(target);
  const count = found.data === undefined ? "" : `${formatInteger(found.data.total)}${found.data.capped ? "+" : ""}`;
  return (
    <div className="flex flex-col gap-4">
      {error !== null && (
        <Alert title={reasonOf(error, t`The logs could not be cleared`)} requestId={requestIdOf(error)} />
      )}
      <div className="flex flex-col gap-1.5">
        <label htmlFor={id} className="font-medium">
          <Trans>Before</Trans>
        </label>
        <Input id={id} type="datetime-local" step={1} value={text} onChange={(event) => setText(event.target.value)} />
      </div>
      <div>
        <p className="font-medium">
          <Trans>Delete logs before {date} ?</Trans>
        </p>
        <p className="min-h-5 text-muted text-sm">
          {isNone ? (
            <Trans>Nothing to clear: the entries of all users are newer.</Trans>
          ) : count !== "" ? (
            <Trans>
              {count} entries of all users and their traces go, from {oldest} on. Balances, ledger and dashboards stay.
            </Trans>
          ) : null}
        </p>
      </div>
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel} disabled={busy}>
          <Trans>Cancel</Trans>
        </Button>
        <Button
          variant="danger"
          busy={busy}
          disabled={target === undefined || isNone}
          onClick={() => {
            // Shown above through the mutation's own error.
            if (target !== undefined) onClear(target).catch(() => {});
          }}
        >
          <Trans>Clear Logs</Trans>
        </Button>
      </div>
    </div>
  );
}
