import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type Channel, getChannel, updateChannel } from "@tollgate/contract/catalogue/channels.ts";
import { hasCostReport } from "@tollgate/contract/figures/cost-report-types.ts";
import { Receipt } from "lucide-react";
import { api } from "../../api-queries.ts";
import { buildEntityIds } from "../../compat/entity-ids.ts";
import { EditPage } from "../../components/forms/edit-page.tsx";
import { ManagedNotice } from "../../components/managed-notice.tsx";
import { hasFeature, useSession } from "../../session.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import { ChannelForm } from "./channel-form.tsx";
import { buildChannelForm, buildChannelUpdate } from "./channel-form-values.ts";
import { channelLists } from "./channel-lists.ts";
import { ChannelProxy } from "./channel-proxy.tsx";

const ChannelBudgets = buildLazyPart(
  async () => (await import("./channel-budgets.tsx")).ChannelBudgets,
);

export function ChannelEditPage() {
  const { t } = useLingui();
  return (
    <EditPage
      endpoint={getChannel}
      title={t`Edit Channel`}
      subtitle={t`Change channel settings`}
      loading={t`Loading channel...`}
      fields={6}
      list={{ to: "/channels", label: t`Back to channels` }}
      action={(channel) => <ReconciliationLink channel={channel} />}
    >
      {(channel, onReload) => (
        <>
          <ChannelProxy channel={channel} />
          <EditChannelForm channel={channel} onReload={onReload} />
          <ChannelBudgets channel={channel} />
        </>
      )}
    </EditPage>
  );
}

/** `ReconciliationLink` leads to the costs that the provider reports, where it reports them. */
function ReconciliationLink({ channel: { id, type } }: { channel: Channel }) {
  const { status } = useSession();
  if (!hasCostReport(type) || !hasFeature(status, "cost_reports")) return null;
  return (
    <ButtonLink to="/channels/costs" search={{ channel: id } as never} icon={<Receipt />}>
      <Trans>Reconcile costs</Trans>
    </ButtonLink>
  );
}

function EditChannelForm({ channel, onReload }: { channel: Channel; onReload: () => void }) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const update = useMutation(api.mutation(updateChannel, { refreshes: channelLists }));
  const { name, managed_by, updated_at } = channel;
  return (
    <>
      <ManagedNotice
        name={name}
        file={managed_by}
        onTakeOver={() =>
          update.mutateAsync({ body: { ...buildEntityIds(channel), managed_by: "", updated_at } })
        }
        onTaken={onReload}
      />
      <ChannelForm
        initial={buildChannelForm(channel)}
        read={channel}
        submit={<Trans>Update Channel</Trans>}
        submitting={<Trans>Updating...</Trans>}
        onReload={onReload}
        onSubmit={async (values) => {
          await update.mutateAsync({ body: buildChannelUpdate(values, channel) });
          await navigate({ to: "/channels", state: { message: t`Channel updated successfully` } });
        }}
      />
    </>
  );
}
