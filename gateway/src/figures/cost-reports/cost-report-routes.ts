/** API routes of report keys and of the comparison with what providers report. */

import { readKeyDestination } from "@tollgate/contract/accounts/key-destination.ts";
import type { Reference } from "@tollgate/contract/api/ids.ts";
import {
  type CostReport,
  compareCostReport,
  costReportFailures,
  deleteCostReport,
  listCostReports,
  readCostReport,
  updateCostReport,
} from "@tollgate/contract/figures/cost-reports.ts";
import type { ChannelRow, ChannelStore } from "../../catalogue/channels/channel-store.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { refuse } from "../../http/refusal.ts";
import type { Sealer } from "../../secrets/seal.ts";
import type { Database } from "../../storage/database.ts";
import { buildCostReportSettings, summarizeChannels } from "./cost-report-rules.ts";
import type { ChannelReport, CostReportStore } from "./cost-report-store.ts";
import type { CostReportReader } from "./read-cost-report.ts";
import { reportKeyHint, sealReportKey } from "./report-key.ts";
import { findDayOfText, readStoredComparison } from "./stored-comparison.ts";

/** An administrator may read a report no more often. */
const readAgainAfterMs = 60_000;
const dayMs = 86_400_000;
const daysByDefault = 30;
/** `daysMax` is that of one comparison. */
const daysMax = 366;

interface CostReportRoutesDeps {
  db: Database;
  store: CostReportStore;
  channels: ChannelStore;
  seal: Sealer;
  reader: CostReportReader;
}

export function buildCostReportRoutes({
  db,
  store,
  channels,
  seal,
  reader,
}: CostReportRoutesDeps): ApiRoute[] {
  const channelOf = async (reference: Reference): Promise<ChannelRow> => {
    const channel = await channels.find(reference);
    if (!channel) throw refuse("channel_not_found");
    return channel;
  };
  const existing = async (reference: Reference): Promise<ChannelReport> => {
    const report = await store.find((await channelOf(reference)).uuid);
    if (!report) throw refuse("cost_report_not_found");
    return report;
  };

  return [
    apiRoute(listCostReports, async () => (await store.all()).map(viewReport)),

    apiRoute(updateCostReport, async (call) => {
      const channel = await channelOf(call.params.id);
      const { uuid } = channel;
      const all = await store.all();
      const stored = all.find(({ channel_uuid }) => channel_uuid === uuid);
      const others = await channels.withIds(call.body.channel_ids ?? []);
      const reports = all.filter((one) => one !== stored);
      const { key, scope, channelIds, destination } = buildCostReportSettings(call.body, {
        channel,
        stored,
        others,
        reports,
      });
      const sealed = key !== undefined && {
        key_sealed: sealReportKey(seal, uuid, key),
        key_hint: reportKeyHint(key),
      };
      const settings = { scope, channel_ids: JSON.stringify(channelIds), destination };
      const anew = { due_at: 0, attempted_at: 0, read_at: null, failure: "", failure_status: 0 };
      const updated_at = Math.max(call.now, (stored?.updated_at ?? 0) + 1);
      const change = { scope, channel_ids: channelIds, isKeyChanged: key !== undefined };
      await db.write([
        stored
          ? store.update(stored, { ...sealed, ...settings, ...anew, updated_at })
          : store.insert({
              channel_uuid: uuid,
              key_sealed: "",
              key_hint: "",
              ...sealed,
              ...settings,
              ...anew,
              updated_at,
            }),
        // What was read before may be that of another account.
        ...store.removeDays([uuid]),
        ...call.audit("cost_report.update", uuid, change),
      ]);
      return viewReport(await existing({ uuid }));
    }),

    apiRoute(deleteCostReport, async (call) => {
      const { channel_uuid } = await existing(call.params.id);
      await db.write([
        ...store.remove([channel_uuid]),
        ...call.audit("cost_report.delete", channel_uuid),
      ]);
    }),

    apiRoute(readCostReport, async (call) => {
      const report = await existing(call.params.id);
      if (report.attempted_at + readAgainAfterMs > call.now) throw refuse("cost_report_just_read");
      await reader.read(report);
      return viewReport(await existing(call.params.id));
    }),

    apiRoute(compareCostReport, async (call) => {
      const report = await existing(call.params.id);
      const last = findDayOfText(call.query.to) ?? Math.floor(call.now / dayMs);
      const first = findDayOfText(call.query.from) ?? last - daysByDefault;
      if (first > last) throw refuse("date_order");
      if (last - first > daysMax) throw refuse("date_range_year");
      return readStoredComparison(store, report, { first, last });
    }),
  ];
}

function viewReport(report: ChannelReport): CostReport {
  const { channel_id, channel_uuid, channel_name, type, key_hint, scope, read_at, failure_status } =
    report;
  const isMoved = report.destination !== readKeyDestination(report);
  const failure = isMoved
    ? "address_changed"
    : (costReportFailures.find((known) => known === report.failure) ?? null);
  const channel_ids = summarizeChannels(report).slice(1);
  return {
    channel_id,
    channel_uuid,
    channel_name,
    type,
    key_hint,
    scope,
    channel_ids,
    read_at,
    failure,
    failure_status,
  };
}
