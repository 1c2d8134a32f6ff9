import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { roles } from "@tollgate/contract/accounts/roles.ts";
import { findChannelType } from "@tollgate/contract/catalogue/channel-types.ts";
import { type Channel, getChannel, updateChannel } from "@tollgate/contract/catalogue/channels.ts";
import { hasCostReport } from "@tollgate/contract/figures/cost-report-types.ts";
import { Activity, Receipt } from "lucide-react";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { buildEntityIds } from "../../compat/entity-ids.ts";
import { EditPage } from "../../components/forms/edit-page.tsx";
import { channelStates } from "../../components/lists/channel-states.ts";
import { readChannelState } from "../../components/lists/read-channel-state.ts";
import { StatusBadge } from "../../components/lists/status-badge.tsx";
import { ManagedNotice } from "../../components/managed-notice.tsx";
import { ThingPage, ThingSubtitle } from "../../components/things/thing-page.tsx";
import { buildEditFrame } from "../../components/things/thing-tabs.tsx";
import { hasFeature, useSession } from "../../session.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import { ChannelForm } from "./channel-form.tsx";
import { buildChannelForm, buildChannelUpdate } from "./channel-form-values.ts";
import { channelLists } from "./channel-lists.ts";
import { ChannelOverview } from "./channel-overview.tsx";
import { useChannelTest } from "./use-channel-test.ts";

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
      action={(channel) => (
        <>
          <ReconciliationLink channel={channel} />
          <TestButton channel={channel} />
        </>
      )}
    >
      {(channel) => <ChannelOverview channel={channel} />}
    </ThingPage>
  );
}

function TestButton({ channel }: { channel: Channel }) {
  const test = useChannelTest(channel);
  return (
    <Button variant="primary" icon={<Activity />} busy={test.isRunning} onClick={test.run}>
      {test.isRunning ? <Trans>Testing...</Trans> : <Trans>Test</Trans>}
    </Button>
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

const ProxyDialog = buildLazyPart(
  async () => (await import("./channel-proxy-dialog.tsx")).ChannelProxyDialog,
);

/**
 * Through which proxy the channel's requests go. Root alone changes it, apart from the form, which
 * other administrators save.
 */
function ChannelProxy({ channel }: { channel: Channel }) {
  const { t } = useLingui();
  const { user, status } = useSession();
  const [hint, setHint] = useState(channel.proxy_hint);
  const [isChanging, setChanging] = useState(false);
  const isRoot = (user?.role ?? roles.guest) >= roles.root;
  if (!hasFeature(status, "channel_proxy") || (hint === "" && !isRoot)) return null;
  return (
    <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2">
      <p className="min-w-0 [overflow-wrap:anywhere]">
        <span className="font-medium">
          <Trans>Outbound proxy</Trans>
        </span>{" "}
        <span className={hint === "" ? "text-muted" : "font-mono text-sm"}>
          {hint || t`default (from Settings)`}
        </span>
      </p>
      {isRoot && (
        <Button size="sm" aria-haspopup="dialog" onClick={() => setChanging(true)}>
          <Trans>Change proxy</Trans>
        </Button>
      )}
      {isChanging && (
        <ProxyDialog
          channel={channel}
          hint={hint}
          onSaved={setHint}
          onClose={() => setChanging(false)}
        />
      )}
    </div>
  );
}
