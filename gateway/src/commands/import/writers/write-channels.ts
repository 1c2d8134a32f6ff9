/**
 * Writes channels with their keys sealed. A channel that an administrator may have changed here
 * since is left as it is.
 */
import { createHash } from "node:crypto";
import { channelInput } from "@tollgate/contract/catalogue/channel-input.ts";
import * as z from "zod/mini";
import { buildCreatedChannel } from "../../../catalogue/channels/channel-rules.ts";
import { planChannelWrites } from "../../../catalogue/channels/new-channel-writes.ts";
import { planOpeningUseWrites } from "../../../money/opening-writes.ts";
import { readUuid7 } from "../../../storage/time-ids.ts";
import type { Loss, SourceChannel } from "../import-items.ts";
import {
  commit,
  findCarried,
  type ImportRun,
  type ImportWrite,
  leave,
  leaveUnread,
  splitIntoBatches,
} from "../import-run.ts";
import type { ImportedItem, ImportedState } from "../import-store.ts";
import { listRefusedAddresses } from "./refused-addresses.ts";

/** Keys are large: few channels at a time. */
const channelsPerBatch = 20;

export async function writeChannels(run: ImportRun): Promise<void> {
  for await (const page of run.source.channels()) {
    run.seen.presence.note("channel", page);
    for (const batch of splitIntoBatches(page, channelsPerBatch)) {
      const known = await findCarried(run, "channel", batch);
      const rows: ImportWrite[] = [];
      for (const reading of batch) {
        const { sourceId, item: channel, losses } = reading;
        const before = known.get(sourceId);
        for (const group of String(channel?.input.group ?? "").split(","))
          if (group) run.seen.groups.add(group);
        if (!channel) leaveUnread(run, "channel", reading, before !== undefined);
        else if (before) rows.push(await changeChannelRow(run, sourceId, channel, before));
        else {
          const row = buildChannelRow(run, sourceId, channel);
          if ("loss" in row) leave(run, { entity: "channel" }, [...losses, row.loss]);
          else {
            const named = { entity: "channel", sourceId, name: readName(channel) } as const;
            run.report.lose(...losses, ...listRefusedAddresses(named, channel, run.privateHosts));
            rows.push(row);
          }
        }
      }
      await commit(run, rows);
    }
  }
}

const readName = ({ input }: SourceChannel): string => String(input.name ?? "");

const ownProxy = ({ proxy }: SourceChannel): string[] => (proxy === undefined ? [] : [proxy]);

const digest = (value: unknown): string =>
  createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16);

const buildState = (channel: SourceChannel): ImportedState => ({
  used: channel.usedQuota,
  settings: digest([channel.input, channel.status, [...channel.keyStatuses], ...ownProxy(channel)]),
  members: JSON.stringify(digestMembers(channel)),
});

/** `digestMembers` is what a later run compares to name the members that changed in the source. */
function digestMembers({
  input,
  status,
  keyStatuses,
  proxy,
}: SourceChannel): Record<string, string> {
  const members = { ...input, status, key_statuses: [...keyStatuses], proxy };
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, digest(value ?? "").slice(0, 8)]),
  );
}

/** `listChangedMembers` is empty where the run that carried the channel noted none. */
function listChangedMembers(before: ImportedState, after: ImportedState): string[] {
  if (typeof before.members !== "string" || typeof after.members !== "string") return [];
  const [old, now] = [before.members, after.members].map(
    (text) => JSON.parse(text) as Record<string, string>,
  );
  const names = new Set([...Object.keys(old ?? {}), ...Object.keys(now ?? {})]);
  return [...names].filter((name) => old?.[name] !== now?.[name]).sort();
}

function buildChannelRow(
  run: ImportRun,
  sourceId: string,
  channel: SourceChannel,
): ImportWrite | { loss: Loss } {
  const { db, seal, now } = run;
  const name = readName(channel);
  const parsed = z.safeParse(channelInput, channel.input);
  if (!parsed.success) {
    const field = String(parsed.error.issues[0]?.path[0] ?? "");
    const value = parsed.error.issues[0]?.message ?? "";
    return { loss: { entity: "channel", sourceId, name, field, reason: "row_refused", value } };
  }
  const { columns, key = "", headers } = buildCreatedChannel(parsed.data);
  const uuid = readUuid7(now);
  const writes = [
    ...planChannelWrites(
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
    ...planOpeningUseWrites(
      db,
      "channels",
      [{ id: db.mintId(), uuid, amount: channel.usedQuota }],
      now,
    ),
    run.imported.remember("channel", "channels", [
      { uuid, sourceId, state: { ...buildState(channel), updatedAt: now } },
    ]),
  ];
  return { entity: "channel", sourceId, name, outcome: "added", writes };
}

async function changeChannelRow(
  run: ImportRun,
  sourceId: string,
  channel: SourceChannel,
  { ourId, state }: ImportedItem,
): Promise<ImportWrite> {
  const { db, now } = run;
  const name = readName(channel);
  const after = buildState(channel);
  const used = channel.usedQuota - Number(state.used);
  const row = { entity: "channel", sourceId, name } as const;
  const field = listChangedMembers(state, after).join(", ");
  const lossOf = { entity: "channel", sourceId, name, field, value: "" } as const;
  if (after.settings !== state.settings)
    run.report.lose({ ...lossOf, reason: "changed_in_source" });
  if (used <= 0) return { ...row, outcome: "unchanged", writes: [] };
  const [stored] = await db.read(
    db.sql.selectFrom("channels").select("uuid").where("id", "=", ourId),
  );
  if (!stored) return { ...row, outcome: "unchanged", writes: [] };
  return {
    ...row,
    outcome: "changed",
    writes: [
      ...planOpeningUseWrites(
        db,
        "channels",
        [{ id: db.mintId(), uuid: stored.uuid, amount: used }],
        now,
      ),
      run.imported.put("channel", sourceId, ourId, { ...state, used: channel.usedQuota }),
    ],
  };
}
