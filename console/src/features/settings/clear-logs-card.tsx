import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { clearLogs, listLogs } from "@tollgate/contract/logs.ts";
import { useId, useState } from "react";
import { api } from "../../api.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { formatInteger, formatSeconds } from "../../ui/format.ts";
import { Input } from "../../ui/input.tsx";
import { toast } from "../../ui/toast.tsx";

const defaultAgeMs = 720 * 3_600_000;

export function ClearLogsCard() {
  const id = useId();
  const [asking, setAsking] = useState(false);
  const [text, setText] = useState(() => formatSeconds((Date.now() - defaultAgeMs) / 1000).replace(" ", "T"));
  const target = Math.floor(Date.parse(text) / 1000);
  return (
    <Card title={<Trans>Clear logs</Trans>} note={<Trans>Balances, ledger and dashboards stay as they are.</Trans>}>
      <div className="flex flex-col gap-1.5">
        <label htmlFor={id} className="font-medium">
          <Trans>Before</Trans>
        </label>
        <div className="flex flex-wrap gap-2">
          <Input
            id={id}
            type="datetime-local"
            step={1}
            value={text}
            onChange={(event) => setText(event.target.value)}
            className="w-60!"
          />
          <Button disabled={Number.isNaN(target)} onClick={() => setAsking(true)}>
            <Trans>Clear Logs</Trans>
          </Button>
        </div>
      </div>
      <ConfirmClearing open={asking} target={target} onClose={() => setAsking(false)} />
    </Card>
  );
}

type ConfirmClearingProps = { open: boolean; target: number; onClose: () => void };

function ConfirmClearing({ open, target, onClose }: ConfirmClearingProps) {
  const { t } = useLingui();
  // Told when it is known; the question does not wait for it.
  const found = useQuery({
    ...api.query(listLogs, { query: { end_timestamp: Math.max(0, target - 1), size: 1 } }),
    enabled: open,
  });
  const date = formatSeconds(target);
  const count = found.data && `${formatInteger(found.data.total)}${found.data.total_capped === true ? "+" : ""}`;
  return (
    <Confirm
      open={open}
      onClose={onClose}
      title={<Trans>Clear Logs</Trans>}
      question={
        <>
          <Trans>Delete logs before {date} ?</Trans>
          <span className="block min-h-5 text-muted text-sm">
            {count !== undefined && <Trans>{count} entries of all users and their traces go.</Trans>}
          </span>
        </>
      }
      verb={<Trans>Clear Logs</Trans>}
      onConfirm={async () => {
        const { data } = await api.call(clearLogs, { query: { target_timestamp: target } });
        const removed = formatInteger(data ?? 0);
        toast(t`${removed} log entries deleted`);
        await api.refresh(listLogs);
      }}
    />
  );
}
