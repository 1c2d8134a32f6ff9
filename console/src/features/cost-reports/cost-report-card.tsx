import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { findChannelType } from "@tollgate/contract/catalogue/channel-types.ts";
import { hasCostReport } from "@tollgate/contract/figures/cost-report-types.ts";
import {
  type CostReport,
  type CostReportFailure,
  compareCostReport,
  deleteCostReport,
  listCostReports,
  readCostReport,
} from "@tollgate/contract/figures/cost-reports.ts";
import { KeyRound, RefreshCw } from "lucide-react";
import { type ReactNode, useState } from "react";
import { api } from "../../api-queries.ts";
import { toastError } from "../../components/toast-failure.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ChangeOnly } from "../../ui/may-change.tsx";
import { Confirm } from "../../ui/menu/confirm.tsx";
import { Time } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";
import { CostReportDialog, type ReportChannel } from "./cost-report-dialog.tsx";

type CostReportCardProps = { channel: ReportChannel; report: CostReport | undefined };

/** The report key of a channel: what it covers, when it was last read, and why not. */
export function CostReportCard({ channel, report }: CostReportCardProps) {
  const { t } = useLingui();
  const [opened, setOpened] = useState<"settings" | "removal">();
  const refreshes = [listCostReports, compareCostReport];
  const read = useMutation(api.mutation(readCostReport, { refreshes }));
  const remove = useMutation(api.mutation(deleteCostReport, { refreshes }));
  const target = { params: { id: channel.channel_id } };
  const name = channel.channel_name;
  const provider = findChannelType(channel.type)?.name ?? "";
  const close = () => setOpened(undefined);
  const readNow = () => read.mutate(target, { onError: toastError });
  const dialogs = (
    <>
      {opened === "settings" && (
        <CostReportDialog channel={channel} report={report} onSaved={readNow} onClose={close} />
      )}
      <Confirm
        open={opened === "removal"}
        onClose={close}
        title={t`Remove the report key of ${name}`}
        question={t`Are you sure? The costs that were read with it are removed too.`}
        confirmLabel={<Trans>Remove</Trans>}
        onConfirm={async () => {
          await remove.mutateAsync(target);
          toast(t`The report key is removed`);
        }}
      />
    </>
  );
  if (report === undefined) {
    return (
      <Card title={name}>
        <p className="mb-4 max-w-prose text-muted">
          {hasCostReport(channel.type) ? (
            <Trans>
              A report key lets the gateway ask {provider} what it charged. It is another key than
              the one that makes calls: an administrator of the account creates it. It is sealed,
              never shown, and sent to the address of this channel alone.
            </Trans>
          ) : (
            <Trans>Costs can only be read from OpenAI, Anthropic and OpenRouter.</Trans>
          )}
        </p>
        {hasCostReport(channel.type) && (
          <ChangeOnly>
            <Button variant="primary" icon={<KeyRound />} onClick={() => setOpened("settings")}>
              <Trans>Set report key</Trans>
            </Button>
          </ChangeOnly>
        )}
        {dialogs}
      </Card>
    );
  }
  const { key_hint, scope, channel_ids, read_at, failure, failure_status } = report;
  return (
    <Card
      title={name}
      note={provider}
      action={
        <ChangeOnly>
          {" "}
          <span className="flex flex-wrap gap-2">
            <Button icon={<RefreshCw />} busy={read.isPending} onClick={readNow}>
              <Trans>Read now</Trans>
            </Button>
            <Button onClick={() => setOpened("settings")}>
              <Trans>Edit</Trans>
            </Button>
            <Button onClick={() => setOpened("removal")}>
              <Trans>Remove</Trans>
            </Button>
          </span>
        </ChangeOnly>
      }
    >
      {failure !== null && (
        <div className="mb-4">
          <Alert title={t`The last attempt to read the costs failed`}>
            {costReportFailureTexts[failure] && t(costReportFailureTexts[failure])}
            {failure_status > 0 && ` (${failure_status})`}
          </Alert>
        </div>
      )}
      <dl className="grid gap-x-6 gap-y-3 sm:grid-cols-2 lg:grid-cols-4">
        <Fact label={t`Report key`}>
          <span className="font-mono">…{key_hint}</span>
        </Fact>
        <Fact label={t`Covers`}>
          {scope === "" ? (
            <Trans>The whole account</Trans>
          ) : (
            <span className="break-all font-mono">{scope}</span>
          )}
        </Fact>
        <Fact label={t`More channels`}>
          {channel_ids.length === 0 ? (
            <Trans>None</Trans>
          ) : (
            channel_ids.map((id) => `#${id}`).join(", ")
          )}
        </Fact>
        <Fact label={t`Last read`}>
          {read_at === null ? (
            <Trans>Not yet</Trans>
          ) : (
            <Time seconds={Math.floor(read_at / 1000)} />
          )}
        </Fact>
      </dl>
      {dialogs}
    </Card>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-muted text-sm">{label}</dt>
      <dd className="[overflow-wrap:anywhere]">{children}</dd>
    </div>
  );
}

const costReportFailureTexts: Readonly<Record<CostReportFailure, MessageDescriptor>> = {
  refused_key: msg`The provider refused the report key. It must be an administrator's key of the account.`,
  rate_limited: msg`The provider wants fewer requests. The gateway tries again within an hour.`,
  provider_status: msg`The provider answered with an error. The gateway tries again within an hour.`,
  no_answer: msg`The provider did not answer within a minute. The gateway tries again within an hour.`,
  unreachable: msg`The provider could not be reached. The gateway tries again within an hour.`,
  unreadable: msg`The provider's answer has another form than its reference says.`,
  too_long: msg`The provider's report is longer than the gateway reads. Limit it to a project, workspace or key.`,
  address_changed: msg`The address of the channel changed. Enter the report key again.`,
  key_unreadable: msg`The report key was sealed with another master key. Enter it again.`,
};
