import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { updateChannelKey } from "@tollgate/contract/catalogue/channel-actions.ts";
import type { ChannelKey } from "@tollgate/contract/catalogue/channel-health.ts";
import {
  type Channel,
  channelStatus,
  listChannels,
  searchChannels,
} from "@tollgate/contract/catalogue/channels.ts";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { StatusBadge, type StatusLabel } from "../../components/lists/status-badge.tsx";
import { buildToggledStatus } from "../../components/lists/toggled-status.ts";
import { writeReason } from "../../components/texts/disabling-words.ts";
import { toastError } from "../../components/toast-failure.ts";
import { Button } from "../../ui/button.tsx";
import { formatInteger } from "../../ui/format.ts";
import { Dialog } from "../../ui/menu/dialog.tsx";
import { Time } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";
import { useCountdown } from "../../ui/use-countdown.ts";
import { formatKeyName } from "./channel-health-summary.ts";

const keyStatuses: Readonly<Record<number, StatusLabel>> = {
  [channelStatus.enabled]: { label: msg`Enabled`, tone: "good" },
  [channelStatus.disabled]: { label: msg`Disabled`, tone: "neutral" },
  [channelStatus.autoDisabled]: { label: msg`Auto-disabled`, tone: "bad" },
};

/** The keys of a multi-key channel, each with its state. */
export function ChannelKeysDialog({ channel, onClose }: { channel: Channel; onClose: () => void }) {
  const { t } = useLingui();
  const { name, keys } = channel;
  return (
    <Dialog open onClose={onClose} title={t`Keys of ${name}`} width="md">
      <ul className="flex flex-col whitespace-normal text-left">
        {keys.map((key) => (
          <KeyRow key={key.place} channel={channel} of={key} />
        ))}
      </ul>
    </Dialog>
  );
}

function KeyRow({ channel, of: key }: { channel: Channel; of: ChannelKey }) {
  const { t } = useLingui();
  const update = useMutation(
    api.mutation(updateChannelKey, { refreshes: [listChannels, searchChannels] }),
  );
  const status = buildToggledStatus(key.status);
  const name = formatKeyName(key);
  const isEnabling = status === channelStatus.enabled;
  const toggle = () =>
    update.mutate(
      {
        params: { id: readEntityRef(channel) },
        body: { place: key.place, status, updated_at: channel.updated_at },
      },
      {
        onSuccess: () =>
          toast(isEnabling ? t`The key ${name} is enabled` : t`The key ${name} is disabled`),
        onError: toastError,
      },
    );
  return (
    <li className="flex items-center gap-3 border-line border-b py-2 last:border-b-0">
      <div className="min-w-0 grow">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="font-mono text-sm">{name}</span>
          <StatusBadge label={keyStatuses[key.status]} />
          {key.status === channelStatus.enabled && key.seconds_left > 0 && (
            <CooldownLeft seconds={key.seconds_left} />
          )}
        </div>
        {key.status !== channelStatus.enabled && (
          <p className="text-muted text-sm [overflow-wrap:anywhere]">
            {writeReason(key.reason, t)}{" "}
            {key.changed_at > 0 && <Time seconds={Math.floor(key.changed_at / 1000)} />}
          </p>
        )}
      </div>
      <Button
        size="sm"
        busy={update.isPending}
        onClick={toggle}
        aria-label={isEnabling ? t`Enable the key ${name}` : t`Disable the key ${name}`}
      >
        {isEnabling ? <Trans>Enable</Trans> : <Trans>Disable</Trans>}
      </Button>
    </li>
  );
}

function CooldownLeft({ seconds }: { seconds: number }) {
  const left = formatInteger(useCountdown(seconds));
  return (
    <span className="text-sm text-warn tabular-nums">
      <Trans>paused for {left} s</Trans>
    </span>
  );
}
