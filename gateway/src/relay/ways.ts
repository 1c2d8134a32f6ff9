/** How a call can reach a channel: in its own shape where the channel speaks it, else translated. */

import type { Json } from "./json-parts.ts";
import type { EntryUrls } from "./providers/entry-urls.ts";
import type { Call, Entry } from "./shapes/shape.ts";
import { chatToGemini } from "./translations/chat-to-gemini.ts";
import { chatToMessages } from "./translations/chat-to-messages.ts";
import { composed } from "./translations/composed.ts";
import { embeddingsToGemini } from "./translations/embeddings-to-gemini.ts";
import { geminiAsList } from "./translations/gemini-as-list.ts";
import { geminiToChat } from "./translations/gemini-to-chat.ts";
import { messagesToChat } from "./translations/messages-to-chat.ts";
import { responsesToChat } from "./translations/responses-to-chat.ts";
import type { AnswerTranslator, Translation } from "./translations/translation.ts";

/** What chat completions can be turned into, in the order in which it is preferred. */
const fromChat: readonly Translation[] = [chatToMessages, chatToGemini];

/** Whoever can be read as chat completions reaches whatever those reach. */
const throughChat = (toChat: Translation): Translation[] => [
  toChat,
  ...fromChat.map((onward) => composed(toChat, onward)),
];

const geminiCalls = throughChat(geminiToChat);

const translations: Readonly<Partial<Record<Entry, readonly Translation[]>>> = {
  chat_completions: fromChat,
  response_api: throughChat(responsesToChat),
  claude_messages: throughChat(messagesToChat),
  embeddings: [embeddingsToGemini],
  gemini: geminiCalls,
  gemini_list: [geminiAsList, ...geminiCalls.map((onward) => composed(geminiAsList, onward))],
};

const translationFor = (entry: Entry, urls: EntryUrls): Translation | undefined =>
  translations[entry]?.find(({ to }) => urls[to.entry]);

export const canServe = (entry: Entry, urls: EntryUrls): boolean =>
  urls[entry] !== undefined || translationFor(entry, urls) !== undefined;

export interface Way {
  /** The call as this channel gets it. */
  call: Call;
  /** Brings the answer back into the caller's shape; undefined where it needs none. */
  translator: AnswerTranslator | undefined;
}

export function wayTo(call: Call, urls: EntryUrls, model: string): Way {
  const { entry } = call.shape;
  const translation = urls[entry] ? undefined : translationFor(entry, urls);
  if (!translation) return { call, translator: undefined };
  const body = translation.body(JSON.parse(call.body.toString("utf8")) as Json, model, call.isStream);
  const translated: Call = {
    ...call,
    shape: translation.to,
    body: Buffer.from(JSON.stringify(body)),
    headers: [],
    // The caller gets its usage from the translation, which cannot do without.
    wantsUsage: true,
    streamOptions: {},
  };
  return { call: translated, translator: translation.answers(call) };
}
