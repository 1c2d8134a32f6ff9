// The relay without its sockets: calls of each interface, and what becomes of a provider's stream.
import type { EntryUrls } from "@tollgate/gateway/relay/providers/entry-urls.ts";
import { anthropicMessages } from "@tollgate/gateway/relay/shapes/anthropic-messages.ts";
import { chatCompletions } from "@tollgate/gateway/relay/shapes/chat-completions.ts";
import { geminiCallAt } from "@tollgate/gateway/relay/shapes/gemini-calls.ts";
import { responses } from "@tollgate/gateway/relay/shapes/responses.ts";
import type { Call, Entry, Shape } from "@tollgate/gateway/relay/shapes/shape.ts";
import { type Way, wayTo } from "@tollgate/gateway/relay/ways.ts";
import { prompt, type TalkEntry } from "./talk.ts";

export const model = "m";
const streamPath = `/v1beta/models/${model}:streamGenerateContent`;
const streamTarget = `${streamPath}?alt=sse`;

function madeOf(shape: Shape | undefined, json: object): Call {
  if (!shape) throw new Error("there is no such shape");
  return { ...shape.read(json, false), shape, headers: [], body: Buffer.from(JSON.stringify(json)) };
}

const messages = [{ role: "user", content: prompt }];
const stream_options = { include_usage: true };
const calls: Readonly<Record<TalkEntry, Call>> = {
  "Chat Completions": madeOf(chatCompletions, { model, messages, stream: true, stream_options }),
  Responses: madeOf(responses, { model, input: prompt, stream: true }),
  Messages: madeOf(anthropicMessages, { model, messages, max_tokens: 9, stream: true }),
  Gemini: madeOf(geminiCallAt(streamPath, streamTarget), { contents: [{ parts: [{ text: prompt }] }] }),
};
/** A call for a stream. */
export const callOf = (entry: TalkEntry): Call => calls[entry];

const entries: Readonly<Record<TalkEntry, Entry>> = {
  "Chat Completions": "chat_completions",
  Responses: "response_api",
  Messages: "claude_messages",
  Gemini: "gemini",
};
/** The gateway's own name of an interface. */
export const entryOf = (entry: TalkEntry): Entry => entries[entry];

/** To a channel that speaks this alone. */
export const wayOver = (call: Call, spoken: Entry): Way =>
  wayTo(call, { [spoken]: new URL("http://provider.example/v1") } as EntryUrls, model);

/** What the caller gets for the events of a provider of another kind. */
export function translated(call: Call, spoken: Entry, events: readonly string[]): string {
  const { translator } = wayOver(call, spoken);
  if (!translator) throw new Error("there is nothing to translate");
  return events.map((event) => translator.event(event)).join("") + translator.end();
}
