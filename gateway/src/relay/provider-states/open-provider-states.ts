/** Binds calls to the ids of what providers keep, and stores the ids of their answers. */
import { channelStatus } from "@tollgate/contract/catalogue/channels.ts";
import { type Database, StaleWrite } from "../../storage/database.ts";
import { makeSingleFlight } from "../../storage/single-flight.ts";
import type { ProviderStateRow } from "../../storage/tables/call-tables.ts";
import type { CallerIdentity, CallerReach } from "../admission/caller-parts.ts";
import { isOwnedBy, type KeptOwner, ownerColumns } from "../admission/kept-owner.ts";
import type { CallFormats } from "../formats/api-format.ts";
import type { AskedModel, SentBody, StatedNeeds } from "../formats/call-parts.ts";
import {
  computeSessionsDue,
  parseContainerSizes,
  sessionMs,
} from "../formats/hold-size/container-sessions.ts";
import type { ChannelAccess, ChannelIdentity, ServedModels } from "../routing/channel-parts.ts";
import type { ChannelSnapshot } from "../routing/channel-table.ts";
import { parseObject } from "../wire/json-parts.ts";
import { refuseBadRequest } from "../wire/relay-refusal.ts";
import { findIssuedIdReader } from "./issued-id-reader.ts";
import type { ProviderStateStore } from "./provider-state-store.ts";
import type { KeptObject, ProviderStates, StateBinding } from "./provider-states.ts";
import {
  buildHomes,
  type FoundReference,
  type ReferenceHomes,
  refuseKeptApart,
} from "./reference-homes.ts";
import {
  type IssuedId,
  listStateReferences,
  mayNameState,
  referencesMax,
  type StateKind,
  type StateReference,
} from "./state-references.ts";
import {
  computeGigabytes,
  computeSessions,
  hashAccount,
  hashId,
  isListed,
  leavesOutItems,
  mayKeepState,
  mayUseModel,
  notFoundMessage,
  stateNotFound,
} from "./state-rules.ts";

/** `holdsContext` is what makes the provider read an earlier prompt and answer again. */
const holdsContext: ReadonlySet<StateKind> = new Set(["response", "conversation"]);

const keptForMs = 30 * 24 * 3_600_000;

/** The last use is stored to a day: one write a day for a conversation that goes on. */
const usedToMs = 24 * 3_600_000;

interface ProviderStatesDeps {
  db: Pick<Database, "write" | "onChange">;
  store: ProviderStateStore;
  now(): number;
  onError(error: unknown): void;
}

export async function openProviderStates({
  db,
  store,
  now,
  onError,
}: ProviderStatesDeps): Promise<ProviderStates> {
  let site = await store.site();
  const refresh = makeSingleFlight(async () => {
    site = await store.site();
  });
  db.onChange("users", refresh);

  function allowsUnknown(channel: ChannelAccess, references: readonly StateReference[]): boolean {
    if (
      channel.settings.config.allow_unknown_state === true ||
      site.hasOneUser ||
      now() < site.graceUntil
    )
      return true;
    return references.every(({ id }) => isListed(channel, id));
  }

  async function bind(
    call: AskedModel & StatedNeeds & SentBody & CallFormats,
    caller: CallerIdentity & CallerReach,
    snapshot: ChannelSnapshot,
  ): Promise<StateBinding | undefined> {
    if (call.form || !mayNameState(call)) return undefined;
    const references = listStateReferences(parseObject(call.body.toString("utf8")));
    if (references.length === 0) return undefined;
    if (references.length > referencesMax)
      throw refuseBadRequest(
        "invalid_request_error",
        `A request can name at most ${referencesMax} stored objects`,
      );
    const rows = Map.groupBy(
      await store.withHashes([...new Set(references.map(({ id }) => hashId(id)))]),
      ({ id_hash }) => id_hash,
    );
    const listing = snapshot.channelsBehind(call.model);
    const found = references.map((reference): FoundReference => {
      const known = rows.get(hashId(reference.id)) ?? [];
      const own = known.filter(
        (row) => isOwnedBy(row, caller) && mayUseModel(caller, row.model_name),
      );
      if (
        known.length > 0 &&
        own.length === 0 &&
        !listing.some((channel) => isListed(channel, reference.id))
      )
        throw stateNotFound(reference, call);
      return { reference, own };
    });
    const [all, kept] = [
      buildHomes(found),
      buildHomes(found.filter(({ reference }) => !reference.isWholeItem)),
    ];
    const readBy = (channel: ServedModels): ReferenceHomes =>
      leavesOutItems(channel, call) ? kept : all;
    // Where no channel keeps state at all, routing says so.
    const keeping = listing.filter((channel) => mayKeepState(channel, call));
    const [first] = all.unknown;
    if (
      first &&
      keeping.length > 0 &&
      !keeping.some((channel) => allowsUnknown(channel, readBy(channel).unknown))
    )
      throw stateNotFound(first, call);
    const apart =
      kept.apart ?? (keeping.some((channel) => readBy(channel) === kept) ? undefined : all.apart);
    if (apart) throw refuseKeptApart(apart);
    const used = found
      .flatMap(({ own }) => own)
      .filter(({ used_at }) => used_at < now() - usedToMs);
    if (used.length > 0)
      await db.write([store.touch([...new Set(used.map(({ id_hash }) => id_hash))], now())]);
    // Only OpenAI bills them by time.
    const containers = found.flatMap(({ own }) =>
      call.client.endpoint === "response_api" ? own.filter(({ kind }) => kind === "container") : [],
    );
    return {
      contextTokens: kept.contextTokens,
      sessionsDue: containers.reduce((sum, row) => sum + computeSessions(row, now()), 0),
      mayReceive(channel) {
        const { homes, unknown, apart: isApart } = readBy(channel);
        return (
          isApart === undefined &&
          (homes?.has(channel.id) ?? true) &&
          allowsUnknown(channel, unknown)
        );
      },
      keyFor(channel) {
        const issuer = readBy(channel).homes?.get(channel.id);
        // A key that was replaced may belong to the same account: the provider decides.
        return channel.keys.find(
          (key) => key.status === channelStatus.enabled && hashAccount(channel, key) === issuer,
        );
      },
    };
  }

  const containerRow = async (
    id: string,
    channel: Pick<ChannelIdentity, "id">,
  ): Promise<ProviderStateRow | undefined> =>
    (await store.withHashes([hashId(id)])).find(
      ({ kind, channel_id }) => kind === "container" && channel_id === channel.id,
    );

  /** 0 where another call has paid at this moment. */
  async function pay(row: ProviderStateRow): Promise<number> {
    const sessions = computeSessionsDue(row.created_at, now());
    if (sessions === 0) return 0;
    try {
      await db.write([store.payContainer(row, row.created_at + sessions * sessionMs)]);
    } catch (error) {
      if (error instanceof StaleWrite) return 0;
      throw error;
    }
    return sessions * computeGigabytes(row);
  }

  return {
    bind,
    async sessionsDue(id, channel) {
      const row = await containerRow(id, channel);
      return row ? computeSessions(row, now()) : 0;
    },
    async payContainer(id, channel) {
      const row = await containerRow(id, channel);
      return row ? pay(row) : 0;
    },
    async find(wanted, id, caller, { channels }) {
      const rows = await store.withHashes([hashId(id)]);
      for (const row of rows) {
        const { kind, model_name, channel_id, key_hash, used_at } = row;
        const isOwn = kind === wanted && isOwnedBy(row, caller) && mayUseModel(caller, model_name);
        const channel = channels.find(
          (one) => one.id === channel_id && caller.groups.some((group) => one.groups.has(group)),
        );
        if (!isOwn || channel?.status !== channelStatus.enabled) continue;
        const enabled = channel.keys.filter(({ status }) => status === channelStatus.enabled);
        // A key that was replaced may belong to the same account.
        const key = enabled.find((one) => hashAccount(channel, one) === key_hash) ?? enabled[0];
        if (!key) continue;
        if (used_at < now() - usedToMs) await db.write([store.touch([hashId(id)], now())]);
        return { channel, key, model: model_name };
      }
      return undefined;
    },
    async issue(objects, owner, made, also = []) {
      const at = now();
      const rows = objects.map((object) => buildIssuedRow(object, owner, made, at));
      await db.write([...(rows.length > 0 ? [store.put(rows)] : []), ...also]);
    },
    async homeOf(wanted, id, channelId, { channels }) {
      const rows = await store.withHashes([hashId(id)]);
      const row = rows.find(({ kind, channel_id }) => kind === wanted && channel_id === channelId);
      const channel = channels.find((one) => one.id === channelId);
      const key =
        channel?.keys.find((one) => hashAccount(channel, one) === row?.key_hash) ??
        channel?.keys[0];
      return row && channel && key && { channel, key };
    },
    homeWith(channelId, account, { channels }) {
      const channel = channels.find(({ id }) => id === channelId);
      const key = channel?.keys.find((one) => hashAccount(channel, one) === account);
      return channel && key && { channel, key };
    },
    contextStored: (id, { id: channelId }, tokens) =>
      store.setContextTokens([hashId(id)], channelId, tokens),
    async addContext(id, { id: channelId }, tokens) {
      await db.write([store.addContextTokens(hashId(id), channelId, tokens)]);
    },
    async forget(id, { id: channelId }, also = []) {
      await db.write([store.remove(hashId(id), channelId), ...also]);
    },
    keeperFor(call, owner, channel, key) {
      const reader = findIssuedIdReader(call);
      if (!reader) return undefined;
      const kept = new Map<string, StateKind>();
      let started = 0;
      let renewed = 0;
      const knownAmong = async (
        containers: readonly IssuedId[],
      ): Promise<Map<string, ProviderStateRow>> => {
        const hashes = [...new Set(containers.map(({ id }) => hashId(id)))];
        const rows = hashes.length === 0 ? [] : await store.withHashes(hashes);
        const here = rows.filter(({ channel_id }) => channel_id === channel.id);
        return new Map(here.map((row) => [row.id_hash, row]));
      };
      const fresh = (ids: readonly IssuedId[]): IssuedId[] =>
        ids.filter(({ id }) => !kept.has(id) && !isListed(channel, id));
      return {
        inEvent: (event) => fresh(reader.inEvent(event)),
        inReply: (json) => fresh(reader.inReply(json)),
        async keep(ids) {
          const at = now();
          const made = { channel, key, model: call.model };
          const rows = new Map(
            ids.map((issued) => [issued.id, buildIssuedRow(issued, owner, made, at)]),
          );
          const containers = ids.filter(({ kind }) => kind === "container");
          const known = await knownAmong(containers);
          const sizes =
            containers.length === 0
              ? []
              : parseContainerSizes(parseObject(call.body.toString("utf8")));
          let unknown = 0;
          for (const { id } of containers) {
            const row = rows.get(id);
            if (!row || known.has(row.id_hash) || row.context_tokens !== null) continue;
            row.context_tokens = sizes[started + unknown] ?? 1;
            unknown += 1;
          }
          await db.write([store.put([...rows.values()])]);
          started += unknown;
          for (const row of known.values()) renewed += await pay(row);
          for (const { kind, id } of ids) kept.set(id, kind);
        },
        startedContainers: () => started,
        renewedSessions: () => renewed,
        async countContext(tokens) {
          const hashes = [...kept].flatMap(([id, kind]) =>
            holdsContext.has(kind) ? [hashId(id)] : [],
          );
          if (hashes.length > 0)
            await db.write([store.setContextTokens(hashes, channel.id, tokens)]).catch(onError);
        },
      };
    },
    refusedIn(references, channel) {
      const [first] = allowsUnknown(channel, references) ? [] : references;
      return first && notFoundMessage(first);
    },
    purge: (at) => store.sweep(at - keptForMs),
  };
}

const buildIssuedRow = (
  { kind, id }: IssuedId,
  owner: KeptOwner,
  made: KeptObject,
  at: number,
): ProviderStateRow => ({
  id_hash: hashId(id),
  channel_id: made.channel.id,
  kind,
  ...ownerColumns(owner),
  key_hash: hashAccount(made.channel, made.key),
  model_name: made.model,
  created_at: at,
  used_at: at,
  context_tokens: null,
});
