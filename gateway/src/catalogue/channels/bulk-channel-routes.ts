/** The route of verbs for many channels. */
import { type ChannelBulk, changeManyChannels } from "@tollgate/contract/api/bulk-verbs.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { checkUnmanaged } from "../../http/managed-by-file.ts";
import { type BulkStep, planBulk, runBulk } from "../../http/plan-bulk.ts";
import { refuse } from "../../http/refusal.ts";
import type { AuthenticatedContext } from "../../http/request-context.ts";
import type { Database, Write } from "../../storage/database.ts";
import { type ChannelEditAct, planBulkChannelEdit } from "./bulk-channel-rules.ts";
import { type ChannelEditorDeps, createChannelEditor } from "./change-channel.ts";
import type { ChannelRow } from "./channel-store.ts";

interface BulkChannelRoutesDeps extends ChannelEditorDeps {
  db: Database;
  /** Statements that forget the report keys of deleted channels. */
  removeReports(uuids: readonly string[]): Write[];
}

export function buildBulkChannelRoutes({
  db,
  channels,
  keys,
  seal,
  removeReports,
}: BulkChannelRoutesDeps): ApiRoute[] {
  const planEdit = createChannelEditor({ channels, keys, seal });

  const isEdit = (act: ChannelBulk): act is ChannelBulk & { verb: ChannelEditAct } =>
    act.verb !== "delete";

  const removal = (call: AuthenticatedContext, channel: ChannelRow): BulkStep => {
    checkUnmanaged(channel);
    return {
      writes: [
        channels.remove(channel),
        ...keys.remove([channel.uuid]),
        ...removeReports([channel.uuid]),
      ],
      audits: call.audit("channel.delete", channel.uuid, { name: channel.name }),
    };
  };

  const edited = async (
    call: AuthenticatedContext,
    channel: ChannelRow,
    act: ChannelBulk & { verb: ChannelEditAct },
    first: ChannelRow,
  ): Promise<BulkStep> => {
    const { edit, before, after } = planBulkChannelEdit(channel, act, first);
    const { writes, audits, keyHint, changed } = await planEdit(call, channel, edit);
    // The same key again, as far as the stored one tells.
    if (Object.keys(changed).length === 0) throw refuse("bulk_unchanged");
    return {
      before,
      after: keyHint === undefined ? after : { ...after, key_hint: keyHint },
      writes,
      audits,
    };
  };

  return [
    apiRoute(changeManyChannels, async (call) => {
      const act = call.body;
      let first: ChannelRow | undefined;
      const plan = await planBulk({
        ids: act.ids,
        find: channels.find,
        missing: "channel_not_found",
        nameOf: ({ name }) => name,
        step: (channel) => {
          first ??= channel;
          return isEdit(act) ? edited(call, channel, act, first) : removal(call, channel);
        },
      });
      return runBulk(db, plan, { preview: act.preview, changes: ["channels"] });
    }),
  ];
}
