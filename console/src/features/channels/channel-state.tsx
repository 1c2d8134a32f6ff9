import { useLingui } from "@lingui/react/macro";
import type { Channel } from "@tollgate/contract/catalogue/channels.ts";
import { channelStates } from "../../components/lists/channel-states.ts";
import { readChannelState } from "../../components/lists/read-channel-state.ts";
import { StatusBadge } from "../../components/lists/status-badge.tsx";
import { Badge } from "../../ui/badge.tsx";
import { formatDurationMs, formatSeconds } from "../../ui/format.ts";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import { BadgeWithReason } from "./badge-with-reason.tsx";
import { type ChannelHealthSummary, summarizeHealth } from "./channel-health-summary.ts";

/** Loaded by lists that show such a channel: few do, and the list is the heaviest page. */
const loadBadges = () => import("./channel-rare-badges.tsx");
const UsageBadge = buildLazyPart(async () => (await loadBadges()).UsageBadge);
const SuspendedBadge = buildLazyPart(async () => (await loadBadges()).SuspendedBadge);
const FaultBadge = buildLazyPart(async () => (await loadBadges()).FaultBadge);
const AutoDisabledBadge = buildLazyPart(async () => (await loadBadges()).AutoDisabledBadge);
const KeysBadge = buildLazyPart(async () => (await loadBadges()).KeysBadge);

/** The status of a channel, and beside it why an enabled one may not serve. */
export function ChannelStateBadge({ of }: { of: Channel }) {
  const { t } = useLingui();
  const state = readChannelState(of);
  const health = summarizeHealth(of);
  const detail =
    state === "paused" ? t`A negative priority: it serves only when no other channel can` : "";
  return (
    <span className="inline-flex items-center gap-1 whitespace-nowrap max-md:flex-wrap">
      {state === "autoDisabled" ? (
        <AutoDisabledBadge reason={of.disabled_reason ?? ""} />
      ) : (
        <BadgeWithReason badge={<StatusBadge label={channelStates[state]} />} why={detail} />
      )}
      {health !== undefined && <HealthBadge health={health} />}
    </span>
  );
}

function HealthBadge({ health }: { health: ChannelHealthSummary }) {
  const { t } = useLingui();
  switch (health.kind) {
    case "suspended":
      return <SuspendedBadge health={health} />;
    case "keys":
      return <KeysBadge health={health} />;
    case "no-models":
    case "address":
      return <FaultBadge fault={health} />;
    case "test-failed": {
      const when = formatSeconds(health.testedAtSeconds);
      return (
        <BadgeWithReason
          badge={<Badge tone="bad">{t`Test failed`}</Badge>}
          why={t`The last test, at ${when}, failed. The log has the reason.`}
        />
      );
    }
    case "usage":
      return <UsageBadge mark={health.mark} />;
    case "works": {
      const [when, took] = [
        formatSeconds(health.testedAtSeconds),
        formatDurationMs(health.responseMs),
      ];
      return (
        <BadgeWithReason
          badge={<Badge tone="good">{t`Works`}</Badge>}
          why={
            health.testedAtSeconds === 0
              ? t`It has served calls`
              : t`The test at ${when} was answered in ${took}`
          }
        />
      );
    }
    case "never-tested":
      return (
        <BadgeWithReason
          badge={<Badge tone="info">{t`Never tested`}</Badge>}
          why={t`No test and no call yet`}
        />
      );
  }
}
