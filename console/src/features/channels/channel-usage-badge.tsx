import { useLingui } from "@lingui/react/macro";
import type { ChannelUsageMark } from "@tollgate/contract/catalogue/channel-health.ts";
import { Badge } from "../../ui/badge.tsx";
import { formatInteger } from "../../ui/format.ts";
import { BadgeWithReason } from "./badge-with-reason.tsx";

/** What a provider reported does not fit what was seen. */
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
