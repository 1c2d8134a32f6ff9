/**
 * Reasoning that a provider signed or encrypted can be read by the account that issued it alone. A
 * conversation that brings some goes to the channel and key that issued it, on whatever node it
 * arrives; elsewhere its provider would refuse it.
 */
import { hash } from "node:crypto";
import { channelStatus } from "@tollgate/contract/catalogue/channels.ts";
import type { Database, Write } from "../../storage/database.ts";
import type { AskedModel, RoutingNeeds, SentBody } from "../formats/call-parts.ts";
import { holdsSignedReasoning } from "../formats/rejected-reasoning.ts";
import type { ChannelIdentity, RelayChannelKey } from "../routing/channel-parts.ts";
import type { ChannelSnapshot } from "../routing/channel-table.ts";
import type { CallConversation, PreferredChannel } from "../routing/session-affinity.ts";
import { hashAccount } from "./state-rules.ts";

/** Clients that pause longer find the reasoning refused, and it is then left out. */
const knownForMs = 3_600_000;
/** `writtenForMs` are one write in this time for a conversation that goes on. */
const writtenForMs = knownForMs / 2;
const writtenMax = 20_000;

export interface ReasoningHomes {
  /**
   * The account that signed the reasoning which a request brings; undefined where it brings none or
   * nothing is known.
   */
  find(
    tokenId: number,
    call: AskedModel & RoutingNeeds & SentBody,
    snapshot: ChannelSnapshot,
  ): Promise<PreferredChannel | undefined>;
  /** Remembers who signed what is about to be sent back. Neither waits nor rejects. */
  keep(
    tokenId: number,
    call: AskedModel & RoutingNeeds,
    channel: ChannelIdentity,
    key: RelayChannelKey,
  ): void;
  purge(now: number): Write;
}

interface ReasoningHomesDeps {
  db: Pick<Database, "sql" | "read" | "write">;
  now(): number;
  onError(error: unknown): void;
}

export function createReasoningHomes({ db, now, onError }: ReasoningHomesDeps): ReasoningHomes {
  const { sql } = db;
  /** `known` is what this node has written or read, by the hash of the conversation. */
  const known = new Map<string, { channelId: number; account: string; at: number }>();

  function note(name: string, channelId: number, account: string): void {
    // Deleted first, so that the map is ordered by latest use.
    known.delete(name);
    known.set(name, { channelId, account, at: now() });
    if (known.size > writtenMax) known.delete(known.keys().next().value ?? name);
  }

  async function homeOf(name: string): Promise<{ channelId: number; account: string } | undefined> {
    const [row] = await db.read(
      sql
        .selectFrom("reasoning_homes")
        .select(["channel_id", "key_hash"])
        .where("conversation_hash", "=", name)
        .where("known_until", ">", now()),
    );
    return row && { channelId: row.channel_id, account: row.key_hash };
  }

  return {
    async find(tokenId, call, { channels }) {
      const { conversation } = call;
      if (!conversation || call.form || !holdsSignedReasoning(call.body)) return undefined;
      const home = await homeOf(nameHome(tokenId, call.model, conversation));
      const channel = home && channels.find(({ id }) => id === home.channelId);
      const key = channel?.keys.find((one) => hashAccount(channel, one) === home?.account);
      if (!channel || key?.status !== channelStatus.enabled) return undefined;
      return { channelId: channel.id, keyIndex: key.index, isBound: true };
    },

    keep(tokenId, call, channel, key) {
      if (!call.conversation) return;
      const name = nameHome(tokenId, call.model, call.conversation);
      const account = hashAccount(channel, key);
      const before = known.get(name);
      const isWritten = before?.channelId === channel.id && before.account === account;
      if (isWritten && before.at > now() - writtenForMs) return;
      note(name, channel.id, account);
      const home = { channel_id: channel.id, key_hash: account, known_until: now() + knownForMs };
      const query = sql
        .insertInto("reasoning_homes")
        .values({ conversation_hash: name, ...home })
        .onConflict((taken) => taken.column("conversation_hash").doUpdateSet(home));
      void db.write([{ query }]).catch(onError);
    },

    purge: (at) => ({ query: sql.deleteFrom("reasoning_homes").where("known_until", "<", at) }),
  };
}

const nameHome = (tokenId: number, model: string, { id }: CallConversation): string =>
  hash("sha256", `${tokenId} ${id} ${model}`);
