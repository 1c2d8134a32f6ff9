import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import {
  clearLogs,
  getLogStat,
  listLogs,
  listProblems,
  searchLogs,
} from "@tollgate/contract/figures/logs.ts";
import { useId, useState } from "react";
import { findRequestId, readReason } from "../api-error.ts";
import { api } from "../api-queries.ts";
import { Alert } from "../ui/alert.tsx";
import { Button } from "../ui/button.tsx";
import { MomentInput } from "../ui/form/moment-input.tsx";
import { formatInteger, formatSeconds } from "../ui/format.ts";
import { Dialog } from "../ui/menu/dialog.tsx";
import { toast } from "../ui/toast.tsx";

const defaultAgeSeconds = 720 * 3_600;

/** Asks for a date, and shows how many entries are deleted. */
export function ClearLogsDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  const id = useId();
  const [target, setTarget] = useState<number | undefined>(
    () => Math.floor(Date.now() / 1000) - defaultAgeSeconds,
  );
  const older = useOlderLogs(target);
  const clear = useMutation(
    api.mutation(clearLogs, { refreshes: [listLogs, searchLogs, getLogStat, listProblems] }),
  );
  const { isPending, error } = clear;
  const date = formatSeconds(target);
  const clearBefore = (target_timestamp: number) =>
    clear.mutate(
      { query: { target_timestamp } },
      {
        onSuccess: ({ data }) => {
          const removed = formatInteger(data);
          onClose();
          toast(t`${removed} log entries deleted`);
        },
      },
    );
  return (
    <Dialog
      open
      onClose={onClose}
      locked={isPending}
      title={<Trans>Clear Logs</Trans>}
      footer={
        <>
          <Button onClick={onClose} disabled={isPending}>
            <Trans>Cancel</Trans>
          </Button>
          <Button
            variant="danger"
            busy={isPending}
            disabled={target === undefined || older?.total === 0}
            onClick={() => target !== undefined && clearBefore(target)}
          >
            <Trans>Clear Logs</Trans>
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {error !== null && (
          <Alert
            title={readReason(error, t`The logs could not be cleared`)}
            requestId={findRequestId(error)}
          />
        )}
        <div className="flex flex-col gap-1.5">
          <label htmlFor={id} className="font-medium">
            <Trans>Before</Trans>
          </label>
          <MomentInput id={id} seconds={target} onChange={setTarget} />
        </div>
        <div>
          <p className="font-medium">
            <Trans>Delete logs before {date} ?</Trans>
          </p>
          <p className="min-h-5 text-muted text-sm">
            {older !== undefined && <OlderLogsNote {...older} />}
          </p>
        </div>
      </div>
    </Dialog>
  );
}

type OlderLogsSummary = { total: number; capped: boolean; oldest: string };

/** Loads beside the dialog: the question does not wait for the count. */
function useOlderLogs(target: number | undefined): OlderLogsSummary | undefined {
  const found = useQuery({
    ...api.query(listLogs, {
      query: { end_timestamp: Math.max(0, (target ?? 1) - 1), size: 1, order: "asc" },
    }),
    enabled: target !== undefined,
    select: ({ total, total_capped, data }) => ({
      total,
      capped: total_capped === true,
      oldest: formatSeconds(data[0]?.created_at),
    }),
  });
  // A compatible server may send no total: one row of the list says nothing about the rest.
  return found.data?.total === undefined ? undefined : found.data;
}

function OlderLogsNote({ total, capped, oldest }: OlderLogsSummary) {
  const count = `${formatInteger(total)}${capped ? "+" : ""}`;
  if (total === 0) return <Trans>Nothing to clear: the entries of all users are newer.</Trans>;
  return (
    <Trans>
      {count} entries of all users and their traces go, from {oldest} on. Balances, ledger and
      dashboards stay.
    </Trans>
  );
}
