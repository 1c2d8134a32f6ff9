import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { findChannelType } from "@tollgate/contract/catalogue/channel-types.ts";
import { type Channel, getChannel, updateChannel } from "@tollgate/contract/catalogue/channels.ts";
import { api } from "../../api-queries.ts";
import { buildEntityIds } from "../../compat/entity-ids.ts";
import { EditPage } from "../../components/forms/edit-page.tsx";
import { StatusBadge } from "../../components/lists/status-badge.tsx";
import { ManagedNotice } from "../../components/managed-notice.tsx";
import { ThingPage, ThingSubtitle } from "../../components/things/thing-page.tsx";
import { buildEditFrame } from "../../components/things/thing-tabs.tsx";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import { ChannelForm } from "./channel-form.tsx";
import { buildChannelForm, buildChannelUpdate } from "./channel-form-values.ts";
import { channelLists } from "./channel-lists.ts";
import { ChannelOverview } from "./channel-overview.tsx";
import { ChannelProxy } from "./channel-proxy.tsx";
import { readChannelState } from "./channel-screen-rules.ts";
import { channelStates } from "./channel-state-words.ts";
import { ReconciliationLink } from "./reconciliation-link.tsx";

/** `ChannelPage` is about one channel, for administrators. */
export function ChannelPage() {
  const { t } = useLingui();
  return (
    <ThingPage
      endpoint={getChannel}
      kind="channels"
      title={t`Channel`}
      loading={t`Loading channel...`}
      list={{ to: "/channels", label: t`Back to channels` }}
      nameOf={({ name }) => name}
      subtitle={(channel) => (
        <ThingSubtitle kind={findChannelType(channel.type)?.name ?? channel.type}>
          <StatusBadge label={channelStates[readChannelState(channel)]} />
        </ThingSubtitle>
      )}
      action={(channel) => <ReconciliationLink channel={channel} />}
    >
      {(channel) => <ChannelOverview channel={channel} />}
    </ThingPage>
  );
}

const ChannelBudgets = buildLazyPart(
  async () => (await import("./channel-budgets.tsx")).ChannelBudgets,
);

const EditFrame = buildEditFrame("channels");

export function ChannelEditPage() {
  const { t } = useLingui();
  return (
    <EditPage
      endpoint={getChannel}
      frame={EditFrame}
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
