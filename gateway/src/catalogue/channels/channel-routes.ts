/** API routes for administrators' work on channels. */

import type { QueryOf } from "@tollgate/contract/api/endpoint.ts";
import { named, type Reference } from "@tollgate/contract/api/ids.ts";
import {
  type ChannelByExternalId,
  type ChannelChange,
  channelInput,
} from "@tollgate/contract/catalogue/channel-input.ts";
import {
  createChannel,
  deleteChannel,
  getChannel,
  listChannels,
  listChannelTags,
  putChannel,
  searchChannels,
  testChannel,
  testChannelByGet,
  updateChannel,
  updateChannelStatus,
} from "@tollgate/contract/catalogue/channels.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { idempotent } from "../../http/idempotency.ts";
import { checkUnmanaged } from "../../http/managed-by-file.ts";
import { refuse } from "../../http/refusal.ts";
import type { AuthenticatedContext } from "../../http/request-context.ts";
import { parseOrRefuse } from "../../http/validation-errors.ts";
import type { Sealer } from "../../secrets/seal.ts";
import type { Database, Write } from "../../storage/database.ts";
import { addRecentCalls } from "../../storage/recent-call-counts.ts";
import { readUuid7 } from "../../storage/time-ids.ts";
import { createChannelEditor } from "./change-channel.ts";
import { splitKeys } from "./channel-key.ts";
import { hasSeveralKeys, limitKeyLines } from "./channel-key-rules.ts";
import type { ChannelKeyStore } from "./channel-key-store.ts";
import { buildCreatedChannel, checkKey } from "./channel-rules.ts";
import type { ChannelRow, ChannelStore } from "./channel-store.ts";
import type { ChannelViews } from "./channel-view.ts";
import { planChannelWrites } from "./new-channel-writes.ts";
import { createChannelTest, createTestRecorder, type TestChannel } from "./test-channel.ts";

interface ChannelRoutesDeps {
  db: Database;
  channels: ChannelStore;
  keys: ChannelKeyStore;
  seal: Sealer;
  runTest: TestChannel;
  view: ChannelViews;
  /** Statements that forget the report keys of deleted channels. */
  removeReports(uuids: readonly string[]): Write[];
}

export function buildChannelRoutes({
  db,
  channels,
  keys,
  seal,
  runTest,
  view,
  removeReports,
}: ChannelRoutesDeps): ApiRoute[] {
  const recordTest = createTestRecorder(db, channels);
  const test = createChannelTest(runTest, recordTest);

  const planEdit = createChannelEditor({ channels, keys, seal });

  const existing = async (reference: Reference): Promise<ChannelRow> => {
    const channel = await channels.find(reference);
    if (!channel) throw refuse("channel_not_found");
    return channel;
  };

  const write = (batch: Write[]) => db.write(batch, { changes: ["channels"] });

  const create = (
    call: AuthenticatedContext & { body: Parameters<typeof buildCreatedChannel>[0] },
  ) =>
    idempotent(db, call, {
      name: "channel.create",
      body: call.body,
      async create(remember) {
        const { columns, key = "", headers } = buildCreatedChannel(call.body);
        checkKey(columns.type, key !== "");
        const hasSeveral = hasSeveralKeys(columns.config);
        const newChannels = (hasSeveral ? [limitKeyLines(key).join("\n")] : splitKeys(key)).map(
          (lines) => ({
            uuid: readUuid7(call.now),
            key: lines,
          }),
        );
        const inserts = newChannels.flatMap((one) =>
          planChannelWrites(
            { channels, keys, seal },
            { ...one, columns, headers, createdAt: call.now, now: call.now },
          ),
        );
        const { name, type, base_url } = columns;
        const audits = newChannels.flatMap(({ uuid }) =>
          call.audit("channel.create", uuid, { name, type, base_url }),
        );
        const uuids = newChannels.map(({ uuid }) => uuid).join(",");
        const batch = [...inserts, ...audits, ...remember(uuids)];
        await db.write(batch, { changes: ["channels"] });
        return uuids;
      },
    });

  const change = async (call: AuthenticatedContext, reference: Reference, edit: ChannelChange) => {
    const channel = await existing(reference);
    const { writes, audits } = await planEdit(call, channel, edit);
    await write([...writes, ...audits]);
    return view.one(await existing({ id: channel.id }));
  };

  const put = async (
    call: AuthenticatedContext,
    external_id: string,
    body: ChannelByExternalId,
  ) => {
    const channel = await channels.byExternalId(external_id);
    if (!channel) {
      const input = parseOrRefuse(channelInput, { ...body, external_id });
      if (splitKeys(input.key).length > 1 && !hasSeveralKeys(input.config ?? ""))
        throw refuse("channel_one_key");
      return await existing({ uuid: await create({ ...call, body: input }) });
    }
    const { changed, writes, audits } = await planEdit(call, channel, body);
    if (Object.keys(changed).length === 0) return channel;
    await write([...writes, ...audits]);
    return existing({ id: channel.id });
  };

  const list = async ({
    query,
    now,
  }: AuthenticatedContext & { query: QueryOf<typeof listChannels> }) => {
    const { rows, ...total } = await channels.page(query);
    const data = await view.many(rows);
    return { data: query.recent ? await addRecentCalls(db, "channel", data, now) : data, ...total };
  };

  return [
    apiRoute(listChannels, list),
    apiRoute(searchChannels, list),
    apiRoute(listChannelTags, async () =>
      (await channels.tags()).map(({ tag, channels: count, enabled }) => ({
        tag,
        channels: Number(count),
        enabled: Number(enabled),
      })),
    ),
    apiRoute(getChannel, async ({ params }) => view.one(await existing(params.id))),
    apiRoute(createChannel, async (call) => {
      const { tested, ...body } = call.body;
      const uuids = (await create({ ...call, body })).split(",");
      const [made, ...others] = await channels.withUuids(uuids);
      // A repeated request has recorded it before.
      if (tested !== undefined && made?.tested_at === 0 && others.length === 0) {
        const { elapsed_ms, model, ...result } = tested;
        await recordTest(
          made,
          { ...result, elapsedMs: elapsed_ms, modelName: model },
          call.principal,
          call.now,
        );
      }
      return view.many(await channels.withUuids(uuids));
    }),
    apiRoute(updateChannel, (call) => change(call, named(call.body), call.body)),
    apiRoute(updateChannelStatus, (call) =>
      change(call, named(call.body), { status: call.body.status }),
    ),
    apiRoute(putChannel, async (call) =>
      view.one(await put(call, call.params.external_id, call.body)),
    ),
    apiRoute(deleteChannel, async (call) => {
      const channel = await existing(call.params.id);
      checkUnmanaged(channel);
      const { uuid, name } = channel;
      await write([
        channels.remove(channel),
        ...keys.remove([uuid]),
        ...removeReports([uuid]),
        ...call.audit("channel.delete", uuid, { name }),
      ]);
    }),
    apiRoute(testChannelByGet, async (call) =>
      test(await existing(call.params.id), call.query.model, call),
    ),
    apiRoute(testChannel, async (call) =>
      test(await existing(call.params.id), call.query.model, call),
    ),
  ];
}
