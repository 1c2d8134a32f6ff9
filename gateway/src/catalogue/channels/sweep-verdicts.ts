/**
 * Applies the verdicts of a sweep. If no channel at all can be reached, this server's network is
 * down, and disabling every channel would prolong the outage. So verdicts are held back until one
 * channel answers.
 */
import { logTypes } from "@tollgate/contract/figures/logs.ts";
import type { Database } from "../../storage/database.ts";
import { buildEventRow } from "../../storage/event-row.ts";
import type { AutomaticStatus } from "./automatic-status.ts";
import type { ChannelVerdict } from "./channel-health-rules.ts";
import type { ChannelRow, ChannelStore } from "./channel-store.ts";
import type { ChannelTestReport } from "./test-channel.ts";

interface SweepVerdictsDeps {
  db: Database;
  channels: ChannelStore;
  automatic: AutomaticStatus;
}

/** Enough to detect that the channel changed after its test. */
type PendingVerdict = Pick<ChannelRow, "id" | "updated_at"> & { verdict: ChannelVerdict };

export function createSweepVerdicts({ db, channels, automatic }: SweepVerdictsDeps) {
  let isNetworkUp = false;
  const pending: PendingVerdict[] = [];

  async function applyWaiting(): Promise<void> {
    for (const { id, updated_at, verdict } of pending.splice(0)) {
      const channel = await channels.find({ id });
      if (channel?.updated_at === updated_at) await automatic.apply(channel, verdict);
    }
  }

  return {
    async tested(
      channel: ChannelRow,
      { isUnreachable = false }: ChannelTestReport,
      verdict: ChannelVerdict | undefined,
    ): Promise<void> {
      isNetworkUp ||= !isUnreachable;
      if (isNetworkUp) await applyWaiting();
      if (verdict === undefined) return;
      if (isNetworkUp) await automatic.apply(channel, verdict);
      else pending.push({ id: channel.id, updated_at: channel.updated_at, verdict });
    },

    /** After the last test. */
    async end(): Promise<void> {
      if (pending.length === 0) return;
      const content = `No channel could be reached, so none was disabled (${pending.length} would have been): the network of this server seems to be down`;
      const row = buildEventRow({
        id: db.mintId(),
        type: logTypes.system,
        user_id: 0,
        username: "",
        quota: 0,
        content,
      });
      await db.write([channels.addLog(row)]);
    },
  };
}
