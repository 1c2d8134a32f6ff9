/** Takes channels out of service and back in on the gateway's own account, and says so. */
import { channelStatus } from "@tollgate/contract/channels.ts";
import { logTypes } from "@tollgate/contract/logs.ts";
import { eventRow } from "../logs/event-row.ts";
import type { Options } from "../settings/options.ts";
import { type Database, StatementMissed } from "../storage/database.ts";
import { disablingReason, type UpstreamRefusal, type Verdict } from "./channel-health-rules.ts";
import type { Channel, ChannelStore } from "./channel-store.ts";

/** Tells root: by mail, where mail is set up. */
export type Notify = (notice: { subject: string; text: string }) => void;

interface Parts {
  db: Database;
  channels: ChannelStore;
  options: Options;
  now(): number;
  notify: Notify;
}

export interface AutomaticStatus {
  /** A call was refused by its upstream; whether that means anything is decided here. */
  refused(channelId: number, refusal: UpstreamRefusal): Promise<void>;
  apply(channel: Channel, verdict: Verdict): Promise<void>;
}

/** Nobody: what the gateway does by itself. */
const itself = { id: 0, username: "", address: "" };

export function automaticStatus({ db, channels, options, now, notify }: Parts): AutomaticStatus {
  /** A channel that fails, fails many calls at once: one of them is enough. */
  const underWay = new Set<number>();

  async function apply(channel: Channel, verdict: Verdict): Promise<void> {
    const { id, uuid, name } = channel;
    const isDisabling = verdict.status === channelStatus.autoDisabled;
    const disabled_reason = isDisabling ? verdict.reason : "";
    const told = isDisabling ? `was disabled automatically. ${disabled_reason}` : "was enabled again: its test passed";
    const at = now();
    const row = eventRow({
      id: db.mintId(),
      type: logTypes.system,
      user_id: itself.id,
      username: itself.username,
      quota: 0,
      content: `Channel ${name} ${told}`,
    });
    try {
      await db.write(
        [
          channels.update(channel, {
            status: verdict.status,
            disabled_reason,
            updated_at: Math.max(at, channel.updated_at + 1),
          }),
          channels.addLog({ ...row, channel_id: id, channel_name: name }),
          ...db.audit({
            at,
            actorId: itself.id,
            address: itself.address,
            action: isDisabling ? "channel.auto_disable" : "channel.auto_enable",
            target: uuid,
            change: { status: verdict.status, disabled_reason },
          }),
        ],
        { changes: ["channels"] },
      );
    } catch (error) {
      // Somebody changed the channel at this moment: theirs counts, and trouble that stays comes back.
      if (error instanceof StatementMissed) return;
      throw error;
    }
    notify({ subject: `Channel ${name} ${isDisabling ? "disabled" : "enabled"}`, text: `Channel ${name} ${told}` });
  }

  return {
    apply,
    async refused(channelId, refusal) {
      const reason = disablingReason(refusal);
      if (reason === undefined || underWay.has(channelId)) return;
      if (!options.flag("AutomaticDisableChannelEnabled")) return;
      underWay.add(channelId);
      try {
        const channel = await channels.find({ id: channelId });
        if (channel?.status === channelStatus.enabled) await apply(channel, { status: 3, reason });
      } finally {
        underWay.delete(channelId);
      }
    },
  };
}
