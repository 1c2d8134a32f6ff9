/** Rules for the settings of a report. Pure. */

import { readKeyDestination } from "@tollgate/contract/accounts/key-destination.ts";
import { findCostReportScope } from "@tollgate/contract/figures/cost-report-types.ts";
import type { ChannelRow } from "../../catalogue/channels/channel-store.ts";
import { refuse } from "../../http/refusal.ts";
import type { ChannelReport } from "./cost-report-store.ts";

export interface CostReportEdit {
  key?: string | undefined;
  scope?: string | undefined;
  channel_ids?: number[] | undefined;
}

export interface CostReportSettings {
  /** Undefined where the stored key stays. */
  key: string | undefined;
  scope: string;
  channelIds: number[];
  destination: string;
}

interface EditedReport {
  channel: ChannelRow;
  /** Undefined before the first setting. */
  stored: ChannelReport | undefined;
  /** The channels that the edit names, as far as they exist. */
  others: readonly Pick<ChannelRow, "id" | "type">[];
  /** `reports` hold all other reports. */
  reports: readonly ChannelReport[];
}

/** The ids of all channels whose calls a report covers. */
export const summarizeChannels = ({ channel_id, channel_ids }: ChannelReport): number[] => [
  channel_id,
  ...(JSON.parse(channel_ids) as number[]),
];

/** Throws a refusal. */
export function buildCostReportSettings(
  edit: CostReportEdit,
  { channel, stored, others, reports }: EditedReport,
) {
  const scopes = findCostReportScope(channel.type);
  if (!scopes) throw refuse("cost_report_unsupported");
  const destination = readKeyDestination(channel);
  if (edit.key === undefined && stored?.destination !== destination)
    throw refuse("cost_report_key_required");
  const scope = edit.scope ?? stored?.scope ?? "";
  if (scope !== "" && !scopes.pattern.test(scope))
    throw refuse("invalid_request", { fields: { scope: `must be empty or ${scopes.example}` } });
  const channelIds = [...new Set(edit.channel_ids ?? (stored ? summarizeChannels(stored) : []))]
    .filter((id) => id !== channel.id)
    .sort((one, other) => one - other);
  for (const id of edit.channel_ids === undefined ? [] : channelIds) {
    if (others.find((one) => one.id === id)?.type !== channel.type)
      throw refuse("invalid_request", {
        fields: { channel_ids: `must name channels of the same type, unlike ${id}` },
      });
  }
  const taken = new Set(reports.flatMap(summarizeChannels));
  if ([channel.id, ...channelIds].some((id) => taken.has(id)))
    throw refuse("cost_report_channel_taken");
  return { key: edit.key, scope, channelIds, destination } satisfies CostReportSettings;
}
