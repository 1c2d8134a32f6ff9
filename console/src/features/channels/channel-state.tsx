import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import type { Channel } from "@tollgate/contract/channels.ts";
import type { ReactElement } from "react";
import { StatusBadge, type StatusLook } from "../../pieces/status-badge.tsx";
import { Badge } from "../../ui/badge.tsx";
import { formatInteger } from "../../ui/format.ts";
import { useSecondsLeft } from "../../ui/seconds-left.ts";
import { Tooltip } from "../../ui/tooltip.tsx";
import { type ChannelHealth, healthOf, keyName } from "./channel-health-rules.ts";
import { channelState, type ChannelState as State } from "./channel-rules.ts";

const states: Record<State, StatusLook> = {
  active: { label: msg`Active`, tone: "good" },
  paused: { label: msg`Paused`, tone: "warn" },
  disabled: { label: msg`Disabled`, tone: "neutral" },
  autoDisabled: { label: msg`Auto-disabled`, tone: "bad" },
};

/** The status of a channel, and what keeps an enabled one from serving. */
export function ChannelState({ of }: { of: Channel }) {
  const { t } = useLingui();
  const state = channelState(of);
  const health = healthOf(of);
  if (health?.kind === "suspended") return <Suspended health={health} />;
  if (health?.kind === "keys") return <MissingKeys health={health} />;
  const why =
    state === "autoDisabled"
      ? of.disabled_reason
      : state === "paused"
        ? t`A negative priority: it serves only when no other channel can`
        : "";
  return <Told badge={<StatusBadge look={states[state]} />} why={why ?? ""} />;
}

function Suspended({ health }: { health: Extract<ChannelHealth, { kind: "suspended" }> }) {
  const { t } = useLingui();
  const { secondsLeft, breakers } = health;
  const left = useSecondsLeft(secondsLeft);
  const reasons = breakers.map(({ model, reason }) => `${model}: ${reason}`).join("; ");
  const isLimited = breakers.every(({ state }) => state === "limited");
  const why =
    left === 0
      ? t`${reasons}. The next call tries it again.`
      : isLimited
        ? t`${reasons}. Its provider asked for this pause.`
        : t`${reasons}. Until then it serves only when no other channel can.`;
  const seconds = formatInteger(left);
  const badge = (
    <Badge tone="warn">{left === 0 ? <Trans>Retry is due</Trans> : <Trans>Retry in {seconds} s</Trans>}</Badge>
  );
  return <Told badge={badge} why={why} />;
}

function MissingKeys({ health }: { health: Extract<ChannelHealth, { kind: "keys" }> }) {
  const { t } = useLingui();
  const { working, total, refused } = health;
  const names = refused.map((key) => (key.reason ? `${keyName(key)}: ${key.reason}` : keyName(key))).join("; ");
  const badge = (
    <Badge tone="warn">
      <Trans>
        {formatInteger(working)} of {formatInteger(total)} keys
      </Trans>
    </Badge>
  );
  return <Told badge={badge} why={t`Out of use: ${names}`} />;
}

/** A tip wants something that can take focus. */
function Told({ badge, why }: { badge: ReactElement; why: string }) {
  if (why === "") return badge;
  return (
    <Tooltip text={why}>
      <button type="button" className="relative rounded-full">
        {badge}
      </button>
    </Tooltip>
  );
}
