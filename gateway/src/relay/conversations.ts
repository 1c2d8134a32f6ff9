/**
 * Calls of one conversation go to the channel and key that answered it last, because that is where its prompt cache
 * lies. It is a preference among equals: priorities, suspensions and failover know nothing of it.
 */
import { hash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { isRecord, type Json, record, text } from "./json-parts.ts";

/** As long as providers keep a prompt cache that is not asked for. */
const rememberedMs = 300_000;
const rememberedMax = 20_000;
/** Enough of a beginning to tell two conversations apart. */
const beginningMax = 1_000;
const signalMax = 500;

export interface Conversation {
  /** The same for all its calls, and hardly ever for those of another one. */
  id: string;
  /** Its first call: nothing of it can be cached, so the weights decide. */
  isNew: boolean;
}

export interface Served {
  channelId: number;
  /** Which of the channel's keys. */
  place: number;
}

export interface Conversations {
  lastServed(tokenId: number, model: string, conversation: Conversation | undefined): Served | undefined;
  served(tokenId: number, model: string, conversation: Conversation | undefined, by: Served): void;
}

export function openConversations(now: () => number): Conversations {
  const known = new Map<string, Served & { until: number }>();
  const nameOf = (tokenId: number, model: string, { id }: Conversation): string => `${tokenId} ${id} ${model}`;
  return {
    lastServed(tokenId, model, conversation) {
      if (!conversation || conversation.isNew) return undefined;
      const found = known.get(nameOf(tokenId, model, conversation));
      return found && found.until > now() ? { channelId: found.channelId, place: found.place } : undefined;
    },
    served(tokenId, model, conversation, by) {
      if (!conversation) return;
      const name = nameOf(tokenId, model, conversation);
      // Deleted first, so that the order of the map is that of the latest calls.
      known.delete(name);
      known.set(name, { ...by, until: now() + rememberedMs });
      if (known.size > rememberedMax) known.delete(known.keys().next().value ?? name);
    },
  };
}

/** Which conversation a call belongs to, by what clients say of it or by how it begins; undefined for other calls. */
export function conversationOf(json: unknown, headers: IncomingHttpHeaders): Conversation | undefined {
  if (!isRecord(json)) return undefined;
  const named = namedBy(json, headers);
  if (named !== "") return { id: digest(["named", named.slice(0, signalMax)]), isNew: false };
  const turns = turnsOf(json);
  const first = turns.findIndex((turn) => !isInstruction(turn));
  if (first < 0) return undefined;
  const instructions = [json.system, json.instructions, json.systemInstruction, ...turns.slice(0, first)];
  const beginning = [beginningOf(instructions), beginningOf(turns[first])];
  return { id: digest([text(json.user), ...beginning]), isNew: turns.length === first + 1 };
}

/** Coding agents name their session in a header, in Anthropic's `metadata.user_id` or as the key of the cache. */
function namedBy(json: Json, headers: IncomingHttpHeaders): string {
  const { session_id, conversation_id, "x-session-id": session } = headers;
  const said = [json.prompt_cache_key, session_id, session, conversation_id, json.session_id];
  return [...said, record(json.metadata).user_id].map(text).find((name) => name !== "") ?? "";
}

function turnsOf({ messages, input, contents }: Json): readonly unknown[] {
  const turns = messages ?? input ?? contents;
  // Embeddings take a list of texts as their input.
  return Array.isArray(turns) && isRecord(turns[0]) ? turns : [];
}

const isInstruction = (turn: unknown): boolean => ["system", "developer"].includes(text(record(turn).role));

const digest = (parts: readonly string[]): string => hash("sha256", JSON.stringify(parts), "base64");

/** The first texts inside a value, without writing down all of it: a message may hold pictures. */
function beginningOf(value: unknown, max = beginningMax): string {
  if (typeof value === "string") return value.slice(0, max);
  if (typeof value !== "object" || value === null) return "";
  let said = "";
  for (const part of Object.values(value)) {
    if (said.length >= max) break;
    said += beginningOf(part, max - said.length);
  }
  return said;
}
