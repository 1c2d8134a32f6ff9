import { Trans, useLingui } from "@lingui/react/macro";
import { Badge } from "../../ui/badge.tsx";
import { formatInteger } from "../../ui/format.ts";
import { useCountdown } from "../../ui/use-countdown.ts";
import { BadgeWithReason } from "./badge-with-reason.tsx";
import { type ChannelHealthSummary, formatKeyName } from "./channel-health-summary.ts";

type RuntimeHealth = Extract<ChannelHealthSummary, { kind: "suspended" | "keys" }>;

/** What this node sees of a channel at the moment: it waits, or some of its keys do not work. */
export const RuntimeBadge = ({ health }: { health: RuntimeHealth }) =>
  health.kind === "suspended" ? <SuspendedBadge health={health} /> : <KeysBadge health={health} />;

function SuspendedBadge({ health }: { health: Extract<ChannelHealthSummary, { kind: "suspended" }> }) {
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

function KeysBadge({ health }: { health: Extract<ChannelHealthSummary, { kind: "keys" }> }) {
  const { t } = useLingui();
  const { working, total, refused } = health;
  const names = refused
    .map((key) => (key.reason ? `${formatKeyName(key)}: ${key.reason}` : formatKeyName(key)))
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
