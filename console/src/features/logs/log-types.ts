import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { logTypes } from "@tollgate/contract/logs.ts";
import type { Tone } from "../../ui/badge.tsx";

type LogType = { label: MessageDescriptor; tone: Tone };

const known: Record<number, LogType> = {
  [logTypes.topup]: { label: msg`Topup`, tone: "good" },
  [logTypes.consume]: { label: msg`Consume`, tone: "neutral" },
  [logTypes.management]: { label: msg`Management`, tone: "info" },
  [logTypes.system]: { label: msg`System`, tone: "neutral" },
  [logTypes.test]: { label: msg`Test`, tone: "neutral" },
  [logTypes.tool]: { label: msg`Tool`, tone: "neutral" },
};
const unknown: LogType = { label: msg`Unknown`, tone: "neutral" };

export const logTypeOf = (type: number): LogType => known[type] ?? unknown;

/** In the order in which the filter offers them. */
export const filterTypes = [
  logTypes.topup,
  logTypes.consume,
  logTypes.management,
  logTypes.system,
  logTypes.test,
] as const;

export const outcomeWords: Record<string, { label: MessageDescriptor; tone: Tone }> = {
  success: { label: msg`Success`, tone: "good" },
  failed: { label: msg`Failed`, tone: "bad" },
  client_left: { label: msg`Client left`, tone: "warn" },
  cut: { label: msg`Cut`, tone: "warn" },
  quota_ran_out: { label: msg`Quota ran out`, tone: "warn" },
  interrupted: { label: msg`Interrupted`, tone: "warn" },
};
