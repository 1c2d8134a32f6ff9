import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import {
  answerDevice,
  findDevice,
  type WaitingDevice,
} from "@tollgate/contract/accounts/agent-sign-ins.ts";
import { useState } from "react";
import { findRequestId, readReason } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { missing } from "../../ui/format.ts";
import { LoadingStatus, Skeleton } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";

type DeviceAnswerProps = {
  code: string;
  onAnswered: (outcome: "approved" | "denied") => void;
  onOtherCode: () => void;
};

/** `DeviceAnswer` names the program that asks with a code, and offers the two answers. */
export function DeviceAnswer({ code, onAnswered, onOtherCode }: DeviceAnswerProps) {
  const { t } = useLingui();
  const body = { user_code: code };
  const found = useQuery({
    queryKey: ["device", code],
    queryFn: () => api.call(findDevice, { body }),
    // Each question counts as a try of a code.
    staleTime: Number.POSITIVE_INFINITY,
  });
  const [busy, setBusy] = useState<"approve" | "deny">();
  const [failure, setFailure] = useState<unknown>(null);
  const answer = async (approve: boolean) => {
    setBusy(approve ? "approve" : "deny");
    setFailure(null);
    try {
      await api.call(answerDevice, { body: { ...body, approve } });
      return onAnswered(approve ? "approved" : "denied");
    } catch (error) {
      setFailure(error);
    }
    setBusy(undefined);
  };
  const error = found.error ?? failure;
  if (error !== null) {
    return (
      <div className="flex flex-col items-start gap-4">
        <Alert title={readReason(error, t`Operation failed`)} requestId={findRequestId(error)} />
        <Button onClick={onOtherCode}>
          <Trans>Enter another code</Trans>
        </Button>
      </div>
    );
  }
  const device = found.data?.data;
  if (device === undefined) {
    return (
      <Card>
        <LoadingStatus />
        <Skeleton className="h-48" />
      </Card>
    );
  }
  const agent = device.agent || t`Unknown program`;
  return (
    <Card title={<Trans>Sign in this program?</Trans>}>
      <div className="flex flex-col gap-4">
        <DeviceFacts code={code} agent={agent} device={device} />
        <Alert
          tone="info"
          title={t`Approve only what you have just started yourself, and if it shows the same code`}
        >
          {device.is_here
            ? t`It will make calls at your expense, until you sign it out and for a week at most.`
            : t`It runs at another address than this browser. It will make calls at your expense, until you sign it out and for a week at most.`}
        </Alert>
        <div className="flex flex-wrap gap-2">
          <Button
            variant="primary"
            busy={busy === "approve"}
            disabled={busy !== undefined}
            onClick={() => void answer(true)}
          >
            <Trans>Sign in {agent}</Trans>
          </Button>
          <Button
            busy={busy === "deny"}
            disabled={busy !== undefined}
            onClick={() => void answer(false)}
          >
            <Trans>Deny</Trans>
          </Button>
        </div>
      </div>
    </Card>
  );
}

/** `formatCode` writes the code as the program shows it. */
const formatCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;

function DeviceFacts({
  code,
  agent,
  device,
}: {
  code: string;
  agent: string;
  device: WaitingDevice;
}) {
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-baseline gap-x-6 gap-y-2">
      <dt className="text-muted">
        <Trans>Code</Trans>
      </dt>
      <dd className="font-mono font-semibold text-xl tracking-widest">{formatCode(code)}</dd>
      <dt className="text-muted">
        <Trans>Program</Trans>
      </dt>
      <dd>{agent}</dd>
      <dt className="text-muted">
        <Trans>Address</Trans>
      </dt>
      <dd className="[overflow-wrap:anywhere]">{device.address || missing}</dd>
      <dt className="text-muted">
        <Trans>Started</Trans>
      </dt>
      <dd>
        <Time seconds={Math.floor(device.started_at / 1000)} />
      </dd>
    </dl>
  );
}
