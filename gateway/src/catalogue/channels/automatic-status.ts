/** Disables and enables channels automatically, and raises the alerts about it. */

import { channelStatus } from "@tollgate/contract/catalogue/channels.ts";
import {
  writeDisablingReason,
  writeLastKeyReason,
} from "@tollgate/contract/catalogue/disabling-reasons.ts";
import type { LogEvent, LogEventCode } from "@tollgate/contract/figures/log-events.ts";
import { logTypes } from "@tollgate/contract/figures/logs.ts";
import type { AuditAction } from "@tollgate/contract/site/audit-actions.ts";
import { type AlertEvent, planAlertEvent } from "../../notices/alerts/alert-events.ts";
import { formatNoticeText } from "../../notices/mail/mail-messages.ts";
import type { RootNotice } from "../../notices/mail/root-notice.ts";
import type { OptionReader } from "../../settings/live-options.ts";
import { type Database, tryWrite, type Write } from "../../storage/database.ts";
import { buildEventRow } from "../../storage/event-row.ts";
import type { ChannelsTable } from "../../storage/tables/channel-tables.ts";
import {
  type ChannelVerdict,
  findDisablingReason,
  type UpstreamRefusal,
} from "./channel-health-rules.ts";
import { hasOtherEnabledKeys, listKeysToEnable } from "./channel-key-rules.ts";
import type { ChannelKeyStore } from "./channel-key-store.ts";
import type { ChannelRow, ChannelStore } from "./channel-store.ts";

/** Logs what was done. */
export type Notify = (notice: RootNotice) => void;

interface AutomaticStatusDeps {
  db: Database;
  channels: ChannelStore;
  keys: ChannelKeyStore;
  options: OptionReader;
  now(): number;
  notify: Notify;
}

export interface AutomaticStatus {
  /**
   * Disables the key or channel when this refusal of its upstream is final. `keyIndex` is 0 for a
   * single key.
   */
  onRefusal(channelId: number, keyIndex: number, refusal: UpstreamRefusal): Promise<void>;
  /**
   * A call of this channel cost the operator units: an alert is raised, and the third such call
   * within a day disables the channel.
   */
  onShortfall(channelId: number): Promise<void>;
  apply(channel: ChannelRow, verdict: ChannelVerdict): Promise<void>;
}

/**
 * `shortfallsMax` is what a hold misses once may be a large hidden answer; a provider that it
 * happens to again reports what it did not do.
 */
const shortfallsMax = 3;
const shortfallPeriodMs = 24 * 3_600_000;

/** The log tells what the notice does. */
function buildLogEvent({
  kind: code,
  ...params
}: Extract<RootNotice, { kind: LogEventCode }>): LogEvent {
  return { code, params } as LogEvent;
}

/** The actor of automatic changes. */
const systemActor = { id: 0, username: "", address: "" };

export function buildAutomaticStatus({
  db,
  channels,
  keys,
  options,
  now,
  notify,
}: AutomaticStatusDeps): AutomaticStatus {
  /** A failing channel fails many calls at once: handling one of them is enough. */
  const inFlight = new Set<string>();

  interface StatusChange {
    columns: Partial<Pick<ChannelsTable, "status" | "disabled_reason">>;
    writes?: Write[];
    action: AuditAction;
    change: Record<string, unknown>;
    notice: Extract<RootNotice, { kind: LogEventCode }>;
    alert: Pick<AlertEvent, "rule" | "state"> & { subjectId: number | string };
  }

  async function take(
    channel: ChannelRow,
    { columns, writes = [], action, change, notice, alert }: StatusChange,
  ): Promise<void> {
    const { id, uuid, name } = channel;
    const at = now();
    const row = buildEventRow({
      id: db.mintId(),
      type: logTypes.system,
      user_id: systemActor.id,
      username: systemActor.username,
      quota: 0,
      content: formatNoticeText(notice),
      event: buildLogEvent(notice),
    });
    const batch = [
      channels.update(channel, { ...columns, updated_at: Math.max(at, channel.updated_at + 1) }),
      ...writes,
      channels.addLog({ ...row, channel_id: id, channel_name: name }),
      planAlertEvent(
        db,
        { ...alert, subject: { kind: "channel", id: alert.subjectId, name }, facts: notice },
        at,
      ),
      ...db.audit({
        at,
        actorId: systemActor.id,
        address: systemActor.address,
        action,
        target: uuid,
        change,
      }),
    ];
    // A rejected write means that an administrator changed the channel at the same moment: that
    // change stands, and a failure that lasts is reported again.
    if ((await tryWrite(db, batch, { changes: ["channels"] })) !== undefined) return;
    notify(notice);
  }

  async function apply(
    channel: ChannelRow,
    verdict: ChannelVerdict,
    writes: Write[] = [],
  ): Promise<void> {
    const { name } = channel;
    if (verdict.status === channelStatus.autoDisabled) {
      const { status, reason: disabled_reason } = verdict;
      return await take(channel, {
        columns: { status, disabled_reason },
        writes,
        action: "channel.auto_disable",
        change: { status, disabled_reason },
        notice: { kind: "channel_disabled", channel: name, reason: disabled_reason },
        alert: { rule: "channel.disabled", state: "firing", subjectId: channel.id },
      });
    }
    const { status } = verdict;
    const enabled = { status, reason: "", changed_at: now() };
    const keyWrites = listKeysToEnable(await keys.ofChannels([channel.uuid])).map((key) =>
      keys.change(key, enabled),
    );
    await take(channel, {
      columns: { status, disabled_reason: "" },
      writes: keyWrites,
      action: "channel.auto_enable",
      change: { status, disabled_reason: "" },
      notice: { kind: "channel_enabled", channel: name },
      alert: { rule: "channel.disabled", state: "resolved", subjectId: channel.id },
    });
  }

  /** A channel without an enabled key left is disabled itself. */
  async function disableKey(channel: ChannelRow, place: number, reason: string): Promise<void> {
    const rows = await keys.ofChannels([channel.uuid]);
    const key = rows.find((row) => row.place === place && row.status === channelStatus.enabled);
    if (!key) return;
    const { name } = channel;
    const writes = [
      keys.change(key, { status: channelStatus.autoDisabled, reason, changed_at: now() }),
    ];
    if (!hasOtherEnabledKeys(rows, place)) {
      return await apply(
        channel,
        { status: channelStatus.autoDisabled, reason: writeLastKeyReason(reason) },
        writes,
      );
    }
    const { hint } = key;
    await take(channel, {
      columns: {},
      writes,
      action: "channel.auto_disable_key",
      change: { place, hint, reason },
      notice: { kind: "channel_key_disabled", channel: name, place, hint, reason },
      alert: { rule: "channel.key_disabled", state: "firing", subjectId: `${channel.id}/${place}` },
    });
  }

  async function shortfallsOf(channelId: number): Promise<number> {
    const query = db.sql
      .selectFrom("ledger")
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .where("kind", "=", "shortfall")
      .where("channel_id", "=", channelId)
      .where("created_at", ">", now() - shortfallPeriodMs);
    const [row] = await db.read(query);
    return Number(row?.count ?? 0);
  }

  return {
    apply,
    async onShortfall(channelId) {
      const channel = await channels.find({ id: channelId });
      if (!channel) return;
      const count = await shortfallsOf(channelId);
      if (count >= shortfallsMax && channel.status === channelStatus.enabled) {
        const reason = writeDisablingReason("not_covered", count);
        return await apply(channel, { status: channelStatus.autoDisabled, reason });
      }
      const { id, name } = channel;
      const facts = { kind: "call_not_covered", channel: name, calls: count } as const;
      const subject = { kind: "channel", id, name } as const;
      const measure = { value: count, threshold: null };
      const event = { rule: "call.not_covered", subject, state: "firing", facts, measure } as const;
      await db.write([planAlertEvent(db, event, now())]);
      notify(facts);
    },
    async onRefusal(channelId, keyIndex, refusal) {
      const reason = findDisablingReason(refusal);
      const name = `${channelId} ${keyIndex}`;
      if (reason === undefined || inFlight.has(name)) return;
      if (!options.flag("AutomaticDisableChannelEnabled")) return;
      inFlight.add(name);
      try {
        const channel = await channels.find({ id: channelId });
        if (channel?.status !== channelStatus.enabled) return;
        if (keyIndex > 0) await disableKey(channel, keyIndex, reason);
        else await apply(channel, { status: channelStatus.autoDisabled, reason });
      } finally {
        inFlight.delete(name);
      }
    },
  };
}
