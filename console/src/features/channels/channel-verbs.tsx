import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import {
  duplicateChannel,
  updateBalanceByGet,
} from "@tollgate/contract/catalogue/channel-actions.ts";
import {
  type Channel,
  deleteChannel,
  listChannels,
  searchChannels,
  updateChannelStatus,
} from "@tollgate/contract/catalogue/channels.ts";
import { Activity, Copy, KeyRound, ListChecks, Wallet } from "lucide-react";
import { useState } from "react";
import { findRequestId, readReason } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { buildEntityIds, readEntityRef } from "../../compat/entity-ids.ts";
import { useIdempotencyKey } from "../../components/forms/idempotency-key.ts";
import { RowMenu } from "../../components/lists/row-actions.tsx";
import { useRowRemoval } from "../../components/lists/row-removal.tsx";
import { useStatusToggle } from "../../components/lists/row-status.tsx";
import { toastError } from "../../components/toast-failure.ts";
import { hasFeature, useSession } from "../../session.ts";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import { MenuItem } from "../../ui/menu/menu.tsx";
import { toast } from "../../ui/toast.tsx";
import { channelLists } from "./channel-lists.ts";
import { balanceUnsupported, formatBalance } from "./channel-screen-rules.ts";
import { useChannelTest } from "./use-channel-test.ts";

const TestDialog = buildLazyPart(
  async () => (await import("./channel-test-dialog.tsx")).ChannelTestDialog,
);
const KeysDialog = buildLazyPart(
  async () => (await import("./channel-keys-dialog.tsx")).ChannelKeysDialog,
);
const DifferencesDialog = buildLazyPart(
  async () => (await import("./model-differences-dialog.tsx")).ModelDifferencesDialog,
);

/** The menu of a channel's row. */
const ChannelLoss = buildLazyPart(async () => (await import("./channel-loss.tsx")).ChannelLoss);

export function ChannelVerbs({ channel }: { channel: Channel }) {
  const { t } = useLingui();
  const [areKeysOpen, setKeysOpen] = useState(false);
  const [isTesting, setTesting] = useState(false);
  const [isComparing, setComparing] = useState(false);
  const canCompare = hasFeature(useSession().status, "model_differences");
  const test = useChannelTest(channel);
  const balance = useBalanceUpdate(channel);
  const copy = useMutation(api.mutation(duplicateChannel, { refreshes: channelLists }));
  const keyFor = useIdempotencyKey();
  const navigate = useNavigate();
  const { name } = channel;
  const toggle = useStatusToggle({
    endpoint: updateChannelStatus,
    refreshes: channelLists,
    name,
    status: channel.status,
    input: (status) => ({
      query: { status_only: "1" },
      body: { ...buildEntityIds(channel), status },
    }),
  });
  const removal = useRowRemoval({
    endpoint: deleteChannel,
    refreshes: channelLists,
    row: channel,
    name,
    question: t`Are you sure you want to delete this channel?`,
    loss: () => <ChannelLoss channel={channel} />,
  });
  const duplicate = () => {
    const params = { id: readEntityRef(channel) };
    copy.mutate(
      { params, idempotencyKey: keyFor(params) },
      {
        onSuccess: ({ data }) => {
          toast(t`${data.name} is created, disabled`);
          void navigate({ to: "/channels/edit/$id", params: { id: readEntityRef(data) } });
        },
        onError: toastError,
      },
    );
  };
  return (
    <>
      <RowMenu isBusy={test.isRunning || balance.isRunning || toggle.isPending || copy.isPending}>
        <MenuItem icon={<Activity />} disabled={test.isRunning} onSelect={test.run}>
          {test.isRunning ? <Trans>Testing...</Trans> : <Trans>Test</Trans>}
        </MenuItem>
        <MenuItem
          icon={<ListChecks />}
          disabled={channel.models === ""}
          onSelect={() => setTesting(true)}
        >
          <Trans>Test models...</Trans>
        </MenuItem>
        {canCompare && (
          <MenuItem icon={<ListChecks />} onSelect={() => setComparing(true)}>
            <Trans>Compare models</Trans>
          </MenuItem>
        )}
        <MenuItem
          icon={<Wallet />}
          disabled={balance.isRunning || channel.balance === balanceUnsupported}
          onSelect={balance.run}
        >
          {balance.isRunning ? <Trans>Updating balance...</Trans> : <Trans>Update Balance</Trans>}
        </MenuItem>
        {toggle.item()}
        {/* Compatible servers send no keys. */}
        {channel.keys.length > 0 && (
          <MenuItem icon={<KeyRound />} onSelect={() => setKeysOpen(true)}>
            <Trans>Keys</Trans>
          </MenuItem>
        )}
        <MenuItem icon={<Copy />} disabled={copy.isPending} onSelect={duplicate}>
          <Trans>Copy</Trans>
        </MenuItem>
        {removal.item}
      </RowMenu>
      {areKeysOpen && <KeysDialog channel={channel} onClose={() => setKeysOpen(false)} />}
      {isTesting && <TestDialog channel={channel} onClose={() => setTesting(false)} />}
      {isComparing && (
        <DifferencesDialog ids={[readEntityRef(channel)]} onClose={() => setComparing(false)} />
      )}
      {removal.dialog}
    </>
  );
}

/** Asks the provider for the account's balance. */
function useBalanceUpdate(channel: Channel): { isRunning: boolean; run: () => void } {
  const { t } = useLingui();
  const update = useMutation(
    api.mutation(updateBalanceByGet, { refreshes: [listChannels, searchChannels] }),
  );
  const { name } = channel;
  const run = () =>
    update.mutate(
      { params: { id: readEntityRef(channel) } },
      {
        onSuccess: ({ balance }) =>
          toast(t`Balance updated`, { detail: `${name}: ${formatBalance(channel, balance)}` }),
        onError: (error) =>
          toast(readReason(error, t`Operation failed`), {
            tone: "bad",
            detail: findRequestId(error) ?? name,
          }),
      },
    );
  return { isRunning: update.isPending, run };
}
