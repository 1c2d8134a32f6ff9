/** What the settings of a report may be. Pure. */
import { costReportScope } from "@tollgate/contract/cost-report-types.ts";
import { keyDestination } from "@tollgate/contract/key-destination.ts";
import type { ChannelRow } from "../channels/channel-store.ts";
import { refuse } from "../http/refusal.ts";
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
  /** All other reports. */
  reports: readonly ChannelReport[];
}

/** The ids of all channels whose calls a report covers. */
export const channelsOf = ({ channel_id, channel_ids }: ChannelReport): number[] => [
  channel_id,
  ...(JSON.parse(channel_ids) as number[]),
];

/** Throws a refusal. */
export function costReportSettings(edit: CostReportEdit, { channel, stored, others, reports }: EditedReport) {
  const scopes = costReportScope(channel.type);
  if (!scopes) throw refuse("cost_report_unsupported");
  const destination = keyDestination(channel);
  if (edit.key === undefined && stored?.destination !== destination) throw refuse("cost_report_key_required");
  const scope = edit.scope ?? stored?.scope ?? "";
  if (scope !== "" && !scopes.pattern.test(scope))
    throw refuse("invalid_request", { fields: { scope: `must be empty or ${scopes.example}` } });
  const channelIds = [...new Set(edit.channel_ids ?? (stored ? channelsOf(stored) : []))]
    .filter((id) => id !== channel.id)
    .sort((one, other) => one - other);
  for (const id of edit.channel_ids === undefined ? [] : channelIds) {
    if (others.find((one) => one.id === id)?.type !== channel.type)
      throw refuse("invalid_request", { fields: { channel_ids: `must name channels of the same type, unlike ${id}` } });
  }
  const taken = new Set(reports.flatMap(channelsOf));
  if ([channel.id, ...channelIds].some((id) => taken.has(id))) throw refuse("cost_report_channel_taken");
  return { key: edit.key, scope, channelIds, destination } satisfies CostReportSettings;
}
