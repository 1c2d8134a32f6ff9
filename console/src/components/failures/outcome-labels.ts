import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { BadgeTone } from "../../ui/badge.tsx";

/** `outcomeLabels` says how a call ended, by the outcome of its log row. */
export const outcomeLabels: Record<string, { label: MessageDescriptor; tone: BadgeTone }> = {
  success: { label: msg`Success`, tone: "good" },
  failed: { label: msg`Failed`, tone: "bad" },
  client_left: { label: msg`Client disconnected`, tone: "warn" },
  cut: { label: msg`Answer broke off`, tone: "warn" },
  quota_ran_out: { label: msg`Quota ran out`, tone: "warn" },
  interrupted: { label: msg`Interrupted`, tone: "warn" },
};
