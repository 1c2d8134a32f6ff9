/** How a call can reach a channel: in its own shape where the channel speaks it, else translated. */

import type { Json } from "./json-parts.ts";
import type { EntryUrls } from "./providers/entry-urls.ts";
import type { Call, Entry } from "./shapes/shape.ts";
import { chatToAiProxy } from "./translations/chat-to-ai-proxy.ts";
import { chatToBaidu } from "./translations/chat-to-baidu.ts";
import { chatToConverse } from "./translations/chat-to-converse.ts";
import { chatToCoze } from "./translations/chat-to-coze.ts";
import { chatToDeepl } from "./translations/chat-to-deepl.ts";
import { chatToGemini } from "./translations/chat-to-gemini.ts";
import { chatToMessages } from "./translations/chat-to-messages.ts";
import { chatToReplicate } from "./translations/chat-to-replicate.ts";
import { chatToResponses } from "./translations/chat-to-responses.ts";
import { chatToTencent } from "./translations/chat-to-tencent.ts";
import { composed } from "./translations/composed.ts";
import { embeddingsToBaidu } from "./translations/embeddings-to-baidu.ts";
import { embeddingsToBedrock, embeddingsToVertex } from "./translations/embeddings-to-cloud.ts";
import { embeddingsToGemini } from "./translations/embeddings-to-gemini.ts";
import { embeddingsToTencent } from "./translations/embeddings-to-tencent.ts";
import { geminiAsList } from "./translations/gemini-as-list.ts";
import { geminiToChat } from "./translations/gemini-to-chat.ts";
import { imagesToGemini } from "./translations/images-to-gemini.ts";
import { imagesToReplicate } from "./translations/images-to-replicate.ts";
import { messagesThroughChat, messagesToChat } from "./translations/messages-to-chat.ts";
import { responsesToChat } from "./translations/responses-to-chat.ts";
import type { AnswerTranslator, Translation } from "./translations/translation.ts";

/** What chat completions can be turned into, in the order in which it is preferred. */
const fromChat: readonly Translation[] = [
  chatToResponses,
  chatToMessages,
  chatToGemini,
  chatToConverse,
  chatToBaidu,
  chatToTencent,
  chatToCoze,
  chatToReplicate,
  chatToDeepl,
  chatToAiProxy,
];

/** Whoever can be read as chat completions reaches whatever those reach. */
const throughChat = (toChat: Translation, through = toChat): Translation[] => [
  toChat,
  ...fromChat.map((onward) => composed(through, onward)),
];

const geminiCalls = throughChat(geminiToChat);

export const translations: Readonly<Partial<Record<Entry, readonly Translation[]>>> = {
  chat_completions: fromChat,
  response_api: throughChat(responsesToChat),
  claude_messages: throughChat(messagesToChat, messagesThroughChat),
  embeddings: [embeddingsToGemini, embeddingsToBaidu, embeddingsToTencent, embeddingsToBedrock, embeddingsToVertex],
  images_generations: [imagesToReplicate, imagesToGemini],
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
  /** What of the caller's body this channel never gets, by the names that the caller wrote. */
  lost: readonly string[];
}

export function wayTo(call: Call, urls: EntryUrls, model: string): Way {
  const { entry } = call.shape;
  const translation = urls[entry] ? undefined : translationFor(entry, urls);
  if (!translation) return { call, translator: undefined, lost: [] };
  const json = JSON.parse(call.body.toString("utf8")) as Json;
  const body = translation.body(json, model, call.isStream);
  const translated: Call = {
    ...call,
    shape: translation.to,
    body: Buffer.from(JSON.stringify(body)),
    headers: [],
    // The caller gets its usage from the translation, which cannot do without.
    wantsUsage: true,
    streamOptions: {},
  };
  const lost = translation.lost(json, model);
  return { call: translated, translator: translation.answers(call), lost };
}
