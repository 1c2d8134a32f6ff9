/** Writes channels with their keys sealed. A channel that an administrator may have changed here since is left as it is. */
import { createHash } from "node:crypto";
import { channelInput } from "@tollgate/contract/channel-input.ts";
import * as z from "zod/mini";
import { createdChannel } from "../../channels/channel-rules.ts";
import { newChannelWrites } from "../../channels/new-channel-writes.ts";
import { openingUseWrites } from "../../money/opening-writes.ts";
import { uuid7 } from "../../storage/time-ids.ts";
import type { Loss, SourceChannel } from "../import-items.ts";
import { commit, type ImportRun, type ImportWrite, inBatches, leave, leaveUnread } from "../import-run.ts";
import type { ImportedItem, ImportedState } from "../import-store.ts";

/** Keys are large: few channels at a time. */
const channelsPerBatch = 20;

export async function writeChannels(run: ImportRun): Promise<void> {
  for await (const page of run.source.channels()) {
    run.seen.presence.note("channel", page);
    for (const batch of inBatches(page, channelsPerBatch)) {
      const known = await run.imported.known(
        "channel",
        batch.map(({ sourceId }) => sourceId),
      );
      const rows: ImportWrite[] = [];
      for (const reading of batch) {
        const { sourceId, item: channel, losses } = reading;
        const before = known.get(sourceId);
        for (const group of String(channel?.input.group ?? "").split(",")) if (group) run.seen.groups.add(group);
        if (!channel) leaveUnread(run, "channel", reading, before !== undefined);
        else if (before) rows.push(await changedChannelRow(run, sourceId, channel, before));
        else {
          const row = newChannelRow(run, sourceId, channel);
          if ("loss" in row) leave(run, { entity: "channel" }, [...losses, row.loss]);
          else {
            run.report.lose(...losses);
            rows.push(row);
          }
        }
      }
      await commit(run, rows);
    }
  }
}

const nameOf = ({ input }: SourceChannel): string => String(input.name ?? "");

const ownProxy = ({ proxy }: SourceChannel): string[] => (proxy === undefined ? [] : [proxy]);

const stateOf = (channel: SourceChannel): ImportedState => ({
  used: channel.usedQuota,
  settings: createHash("sha256")
    .update(JSON.stringify([channel.input, channel.status, [...channel.keyStatuses], ...ownProxy(channel)]))
    .digest("hex")
    .slice(0, 16),
});

function newChannelRow(run: ImportRun, sourceId: string, channel: SourceChannel): ImportWrite | { loss: Loss } {
  const { db, seal, now } = run;
  const name = nameOf(channel);
  const parsed = z.safeParse(channelInput, channel.input);
  if (!parsed.success) {
    const field = String(parsed.error.issues[0]?.path[0] ?? "");
    const value = parsed.error.issues[0]?.message ?? "";
    return { loss: { entity: "channel", sourceId, name, field, reason: "row_refused", value } };
  }
  const { columns, key = "", headers } = createdChannel(parsed.data);
  const uuid = uuid7(now);
  const writes = [
    ...newChannelWrites(
      { channels: run.channels, keys: run.channelKeys, seal },
      {
        uuid,
        key,
        headers,
        columns: { ...columns, status: channel.status },
        createdAt: channel.createdAtMs ?? now,
        now,
        proxy: channel.proxy ?? "",
        keyState: (row, line) => ({ ...row, ...channel.keyStatuses.get(line) }),
      },
    ),
    ...openingUseWrites(db, "channels", [{ id: db.mintId(), uuid, amount: channel.usedQuota }], now),
    run.imported.remember("channel", "channels", [{ uuid, sourceId, state: { ...stateOf(channel), updatedAt: now } }]),
  ];
  return { entity: "channel", sourceId, name, outcome: "added", writes };
}

async function changedChannelRow(
  run: ImportRun,
  sourceId: string,
  channel: SourceChannel,
  { ourId, state }: ImportedItem,
): Promise<ImportWrite> {
  const { db, now } = run;
  const name = nameOf(channel);
  const after = stateOf(channel);
  const used = channel.usedQuota - Number(state.used);
  const row = { entity: "channel", sourceId, name } as const;
  const lossOf = { entity: "channel", sourceId, name, field: "", value: "" } as const;
  if (after.settings !== state.settings) run.report.lose({ ...lossOf, reason: "changed_in_source" });
  if (used <= 0) return { ...row, outcome: "unchanged", writes: [] };
  const [stored] = await db.read(db.sql.selectFrom("channels").select("uuid").where("id", "=", ourId));
  if (!stored) return { ...row, outcome: "unchanged", writes: [] };
  return {
    ...row,
    outcome: "changed",
    writes: [
      ...openingUseWrites(db, "channels", [{ id: db.mintId(), uuid: stored.uuid, amount: used }], now),
      run.imported.put("channel", sourceId, ourId, { ...state, used: channel.usedQuota }),
    ],
  };
}
