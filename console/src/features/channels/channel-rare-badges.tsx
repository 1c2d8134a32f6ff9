import { Trans, useLingui } from "@lingui/react/macro";
import type { ChannelUsageMark } from "@tollgate/contract/catalogue/channel-health.ts";
import { channelStates } from "../../components/lists/channel-states.ts";
import { StatusBadge } from "../../components/lists/status-badge.tsx";
import { writeReason } from "../../components/texts/disabling-words.ts";
import { Badge } from "../../ui/badge.tsx";
import { formatInteger } from "../../ui/format.ts";
import { useCountdown } from "../../ui/use-countdown.ts";
import { BadgeWithReason } from "./badge-with-reason.tsx";
import { type ChannelHealthSummary, formatKeyName } from "./channel-health-summary.ts";

/** `UsageBadge` marks a provider whose reports do not fit the usage that was seen. */
export function UsageBadge({ mark: { mark, calls, members } }: { mark: ChannelUsageMark }) {
  const { t } = useLingui();
  const count = formatInteger(calls);
  const names = members.join(", ");
  const why = {
    usage_capped: t`Its provider reported more usage than a call can have, ${count} times since the gateway started. The ceiling was charged; the log marks these calls.`,
    usage_unknown: t`Its provider counts what the gateway does not know and does not charge: ${names}. Calls since the gateway started: ${count}.`,
    usage_far: t`Its provider reported usage far from what was seen, ${count} times since the gateway started. The log marks these calls.`,
  }[mark];
  return <BadgeWithReason badge={<Badge tone="warn">{t`Check usage`}</Badge>} why={why} />;
}

/** Until when its breakers keep it from the calls of some models. */
export function SuspendedBadge({
  health,
}: {
  health: Extract<ChannelHealthSummary, { kind: "suspended" }>;
}) {
  const { t } = useLingui();
  const { secondsLeft, breakers } = health;
  const left = useCountdown(secondsLeft);
  const reasons = breakers.map(({ model, reason }) => `${model}: ${reason}`).join("; ");
  const isLimited = breakers.every(({ state }) => state === "limited");
  const detail =
    left === 0
      ? t`${reasons}. The next call tries it again.`
      : isLimited
        ? t`${reasons}. Its provider asked for this pause.`
        : t`${reasons}. Until then it serves only when no other channel can.`;
  const seconds = formatInteger(left);
  const badge = (
    <Badge tone="warn">
      {left === 0 ? <Trans>Waiting for a trial call</Trans> : <Trans>Retry in {seconds} s</Trans>}
    </Badge>
  );
  return <BadgeWithReason badge={badge} why={detail} />;
}

/** `KeysBadge` marks a channel of which some keys are not in use. */
export function KeysBadge({ health }: { health: Extract<ChannelHealthSummary, { kind: "keys" }> }) {
  const { t } = useLingui();
  const { working, total, refused } = health;
  const names = refused
    .map((key) =>
      key.reason ? `${formatKeyName(key)}: ${writeReason(key.reason, t)}` : formatKeyName(key),
    )
    .join("; ");
  const badge = (
    <Badge tone="warn">
      <Trans>
        {formatInteger(working)} of {formatInteger(total)} keys
      </Trans>
    </Badge>
  );
  return <BadgeWithReason badge={badge} why={t`Not in use: ${names}`} />;
}

/** `FaultBadge` names a fault of the channel's settings, by which every call fails. */
export function FaultBadge({
  fault,
}: {
  fault: Extract<ChannelHealthSummary, { kind: "no-models" | "address" }>;
}) {
  const { t } = useLingui();
  if (fault.kind === "no-models")
    return (
      <BadgeWithReason
        badge={<Badge tone="bad">{t`No models`}</Badge>}
        why={t`It offers no models, so no call can reach it. Edit it and choose models.`}
      />
    );
  const { reason } = fault;
  return (
    <BadgeWithReason
      badge={<Badge tone="bad">{t`Refused address`}</Badge>}
      why={t`Its address ${reason}`}
    />
  );
}

/** `AutoDisabledBadge` says why the gateway took the channel out of use. */
export function AutoDisabledBadge({ reason }: { reason: string }) {
  const { t } = useLingui();
  return (
    <BadgeWithReason
      badge={<StatusBadge label={channelStates.autoDisabled} />}
      why={writeReason(reason, t)}
    />
  );
}

/** The reason by itself, for the column of reasons. */
export function DisabledReason({ reason }: { reason: string }) {
  const { t } = useLingui();
  return writeReason(reason, t);
}
