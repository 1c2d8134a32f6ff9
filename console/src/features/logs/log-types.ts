import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { logTypes, type OutcomeFilter } from "@tollgate/contract/figures/logs.ts";
import type { BadgeTone } from "../../ui/badge.tsx";

type LogTypeLabel = { label: MessageDescriptor; tone: BadgeTone };

const knownTypes: Record<number, LogTypeLabel> = {
  [logTypes.topup]: { label: msg`Topup`, tone: "good" },
  [logTypes.consume]: { label: msg`Consume`, tone: "neutral" },
  [logTypes.management]: { label: msg`Management`, tone: "info" },
  [logTypes.system]: { label: msg`System`, tone: "neutral" },
  [logTypes.test]: { label: msg`Test`, tone: "neutral" },
  [logTypes.tool]: { label: msg`Tool`, tone: "neutral" },
  [logTypes.refused]: { label: msg`Refused`, tone: "warn" },
  [logTypes.shadow]: { label: msg`Shadow`, tone: "neutral" },
};
const unknownType: LogTypeLabel = { label: msg`Unknown`, tone: "neutral" };

export const readLogType = (type: number): LogTypeLabel => knownTypes[type] ?? unknownType;

/** `filterTypes` are in the order of the filter's options. */
export const filterTypes = [
  logTypes.topup,
  logTypes.consume,
  logTypes.management,
  logTypes.system,
  logTypes.test,
  logTypes.tool,
  logTypes.refused,
] as const;

export const outcomeFilterLabels: Readonly<Record<OutcomeFilter, MessageDescriptor>> = {
  ok: msg`Succeeded`,
  failed: msg`Failed`,
  cut: msg`Answer broke off`,
  client_left: msg`Client disconnected`,
};
