/** What the API answers administrators about channels. */
import type { ChannelChange } from "@tollgate/contract/channel-input.ts";
import {
  channelStatus,
  createChannel,
  deleteChannel,
  getChannel,
  listChannels,
  searchChannels,
  testChannel,
  testChannelByGet,
  updateChannel,
  updateChannelStatus,
} from "@tollgate/contract/channels.ts";
import { named, type Reference } from "@tollgate/contract/ids.ts";
import { answer, type Route } from "../http/answer.ts";
import type { Caller, Circumstances } from "../http/caller.ts";
import { once } from "../http/idempotency.ts";
import { refuse } from "../http/refusal.ts";
import type { Sealer } from "../secrets/seal.ts";
import { type Database, StaleWrite, type Write } from "../storage/database.ts";
import { uuid7 } from "../storage/time-ids.ts";
import { hintOf, keyAfter, keysIn, openChannelKey, sealChannelKey } from "./channel-key.ts";
import { changedKeys, checkedLines, hasSeveralKeys, keyRows, keysToEnable } from "./channel-key-rules.ts";
import type { ChannelKeyStore } from "./channel-key-store.ts";
import { changedChannel, createdChannel, differences } from "./channel-rules.ts";
import type { Channel, ChannelStore } from "./channel-store.ts";
import type { ChannelViews } from "./channel-view.ts";
import { recordTestWith, type TestChannel, testChannelWith } from "./test-channel.ts";

type Call = Circumstances & { caller: Caller };

interface Parts {
  db: Database;
  channels: ChannelStore;
  keys: ChannelKeyStore;
  seal: Sealer;
  ask: TestChannel;
  view: ChannelViews;
}

export function channelRoutes({ db, channels, keys, seal, ask, view }: Parts): Route[] {
  const test = testChannelWith(ask, recordTestWith(db, channels));

  const existing = async (reference: Reference): Promise<Channel> => {
    const channel = await channels.find(reference);
    if (!channel) throw refuse("channel_not_found");
    return channel;
  };

  const audit = ({ caller, address, now }: Call, action: string, target: string, change: Record<string, unknown>) =>
    db.audit({ at: now, actorId: caller.id, address, action, target, change });

  const write = (batch: Write[]) =>
    db.write(batch, { changes: ["channels"] }).catch((error: unknown) => {
      throw error instanceof StaleWrite ? refuse("changed_meanwhile") : error;
    });

  const create = (call: Call & { body: Parameters<typeof createdChannel>[0] }) =>
    once(db, call, {
      name: "channel.create",
      body: call.body,
      async create(remember) {
        const { columns, key = "" } = createdChannel(call.body);
        const hasSeveral = hasSeveralKeys(columns.config);
        const made = (hasSeveral ? [checkedLines(key).join("\n")] : keysIn(key)).map((one) => ({
          uuid: uuid7(call.now),
          key: one,
        }));
        const states = hasSeveral ? made.flatMap(({ uuid, key: one }) => keyRows(uuid, checkedLines(one))) : [];
        const inserts = made.map(({ uuid, key: one }) =>
          channels.insert({
            ...columns,
            uuid,
            key_sealed: sealChannelKey(seal, uuid, one),
            key_hint: hintOf(keysIn(one)[0] ?? ""),
            balance_micros: null,
            balance_updated_at: 0,
            response_time: 0,
            tested_at: 0,
            created_at: call.now,
            updated_at: call.now,
          }),
        );
        const { name, type, base_url } = columns;
        const audits = made.flatMap(({ uuid }) => audit(call, "channel.create", uuid, { name, type, base_url }));
        const uuids = made.map(({ uuid }) => uuid).join(",");
        const batch = [...inserts, ...keys.insert(states), ...audits, ...remember(uuids)];
        await db.write(batch, { changes: ["channels"] });
        return uuids;
      },
    });

  const change = async (call: Call, reference: Reference, said: ChannelChange) => {
    const channel = await existing(reference);
    if (said.updated_at !== undefined && said.updated_at !== channel.updated_at) throw refuse("changed_meanwhile");
    const { columns, key: given } = changedChannel(channel, said, channel.key_sealed !== "");
    const isSameType = columns.type === channel.type;
    const stored = openChannelKey(seal, channel);
    const whole = given ?? (isSameType ? keyAfter(channel.type, stored, columns.config) : undefined);
    const rows = await keys.ofChannels([channel.uuid]);
    const { key, rows: rowsAfter } = changedKeys({ ...channel, stored, rows }, columns, whole, said.key_added === true);
    const sealed =
      key === undefined
        ? {}
        : { key_sealed: sealChannelKey(seal, channel.uuid, key), key_hint: hintOf(keysIn(key)[0] ?? "") };
    const isEnabledNow = columns.status === channelStatus.enabled && channel.status !== channelStatus.enabled;
    const enabled = { status: channelStatus.enabled, reason: "", changed_at: call.now };
    const states = rowsAfter
      ? keys.replace(channel.uuid, rowsAfter)
      : (isEnabledNow ? keysToEnable(rows) : []).map((row) => keys.change(row, enabled));
    const updated_at = Math.max(call.now, channel.updated_at + 1);
    const changed = differences(channel, columns, key !== undefined);
    await write([
      channels.update(channel, { ...columns, ...sealed, updated_at }),
      ...states,
      ...audit(call, "channel.update", channel.uuid, changed),
    ]);
    return view.one(await existing({ id: channel.id }));
  };

  const list = async ({ query }: { query: Parameters<typeof channels.page>[0] }) => {
    const { rows, ...total } = await channels.page(query);
    return { data: await view.many(rows), ...total };
  };

  return [
    answer(listChannels, list),
    answer(searchChannels, list),
    answer(getChannel, async ({ params }) => view.one(await existing(params.id))),
    answer(createChannel, async (call) => {
      const uuids = await create(call);
      return view.many(await channels.withUuids(uuids.split(",")));
    }),
    answer(updateChannel, (call) => change(call, named(call.body), call.body)),
    answer(updateChannelStatus, (call) => change(call, named(call.body), { status: call.body.status })),
    answer(deleteChannel, async (call) => {
      const channel = await existing(call.params.id);
      const { uuid, name } = channel;
      await write([channels.remove(channel), ...keys.remove([uuid]), ...audit(call, "channel.delete", uuid, { name })]);
    }),
    answer(testChannelByGet, async (call) => test(await existing(call.params.id), call.query.model, call)),
    answer(testChannel, async (call) => test(await existing(call.params.id), call.query.model, call)),
  ];
}
