/**
 * Sends the calls of one conversation to the channel and key that answered it last, where its
 * prompt cache is. This is a preference among equals: priorities, suspensions and failover come
 * first.
 */
import { hash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { isRecord, type JsonRecord, record, text } from "../wire/json-parts.ts";

/** `rememberedMs` are as long as providers keep an unused prompt cache. */
const rememberedMs = 300_000;
const rememberedMax = 20_000;
/** Enough text to tell two conversations apart. */
const openingMax = 1_000;
const signalMax = 500;

export interface CallConversation {
  /** Equal for all calls of a conversation, and practically unique to it. */
  id: string;
  /** The first call of a conversation: nothing is cached, so the weights decide. */
  isNew: boolean;
}

export interface PreferredChannel {
  channelId: number;
  /** `keyIndex` says which of the channel's keys. */
  keyIndex: number;
  /**
   * The request brings what this account alone can read: it goes there first, whatever the
   * priorities say.
   */
  isBound?: boolean;
}

export interface SessionAffinity {
  preferredChannel(
    tokenId: number,
    model: string,
    conversation: CallConversation,
  ): PreferredChannel | undefined;
  remember(
    tokenId: number,
    model: string,
    conversation: CallConversation,
    servedBy: PreferredChannel,
  ): void;
}

export function createSessionAffinity(now: () => number): SessionAffinity {
  const known = new Map<string, PreferredChannel & { until: number }>();
  const nameOf = (tokenId: number, model: string, { id }: CallConversation): string =>
    `${tokenId} ${id} ${model}`;
  return {
    preferredChannel(tokenId, model, conversation) {
      if (conversation.isNew) return undefined;
      const found = known.get(nameOf(tokenId, model, conversation));
      return found && found.until > now()
        ? { channelId: found.channelId, keyIndex: found.keyIndex }
        : undefined;
    },
    remember(tokenId, model, conversation, servedBy) {
      const name = nameOf(tokenId, model, conversation);
      // Deleted first, so that the map is ordered by latest use.
      known.delete(name);
      known.set(name, { ...servedBy, until: now() + rememberedMs });
      if (known.size > rememberedMax) known.delete(known.keys().next().value ?? name);
    },
  };
}

/**
 * Identifies the conversation of a call by what the client sends or by its opening; undefined for
 * other calls.
 */
export function findConversation(
  json: unknown,
  headers: IncomingHttpHeaders,
): CallConversation | undefined {
  if (!isRecord(json)) return undefined;
  const named = parseSessionId(json, headers);
  if (named !== "") return { id: digest(["named", named.slice(0, signalMax)]), isNew: false };
  const items = listMessages(json);
  const first = items.findIndex((item) => !isInstruction(item));
  if (first < 0) return undefined;
  const { system, instructions: given, systemInstruction, system_instruction } = json;
  const instructions = [
    system,
    given,
    systemInstruction ?? system_instruction,
    ...items.slice(0, first),
  ];
  const beginning = [formatOpeningText(instructions), formatOpeningText(items[first])];
  return { id: digest([text(json.user), ...beginning]), isNew: items.length === first + 1 };
}

/**
 * Coding agents name their session in a header, in Anthropic's `metadata.user_id` or in the cache
 * key.
 */
function parseSessionId(json: JsonRecord, headers: IncomingHttpHeaders): string {
  const { session_id, conversation_id, "x-session-id": session } = headers;
  const candidates = [json.prompt_cache_key, session_id, session, conversation_id, json.session_id];
  return [...candidates, record(json.metadata).user_id].map(text).find((name) => name !== "") ?? "";
}

function listMessages({ messages, input, contents }: JsonRecord): readonly unknown[] {
  const items = messages ?? input ?? contents;
  // Embeddings take a list of texts as their input.
  return Array.isArray(items) && isRecord(items[0]) ? items : [];
}

const isInstruction = (item: unknown): boolean =>
  ["system", "developer"].includes(text(record(item).role));

const digest = (parts: readonly string[]): string =>
  hash("sha256", JSON.stringify(parts), "base64");

/** The first texts inside a value, without serialising all of it: a message may hold images. */
function formatOpeningText(value: unknown, max = openingMax): string {
  if (typeof value === "string") return value.slice(0, max);
  if (typeof value !== "object" || value === null) return "";
  let candidates = "";
  for (const part of Object.values(value)) {
    if (candidates.length >= max) break;
    candidates += formatOpeningText(part, max - candidates.length);
  }
  return candidates;
}
