/**
 * The way of a call to a channel: in the client's own format where the channel speaks it, else
 * translated.
 */

import { channelTypeIds } from "@tollgate/contract/catalogue/channel-types.ts";
import type { ApiEndpoint, RelayCall } from "../formats/api-format.ts";
import type { NeededTools } from "../formats/declared-tools.ts";
import type { StateKeeper } from "../provider-states/provider-states.ts";
import { type EndpointUrls, thinksBesideToolsElsewhere } from "../providers/endpoint-urls.ts";
import { chatToAiProxy } from "../translations/chat-to-ai-proxy.ts";
import { chatToBaidu } from "../translations/chat-to-baidu.ts";
import { chatToConverse } from "../translations/chat-to-converse.ts";
import { chatToCoze } from "../translations/chat-to-coze.ts";
import { chatToDeepl } from "../translations/chat-to-deepl.ts";
import { chatToGemini } from "../translations/chat-to-gemini.ts";
import { chatToMessages } from "../translations/chat-to-messages.ts";
import { chatToReplicate } from "../translations/chat-to-replicate.ts";
import { chatToResponses } from "../translations/chat-to-responses.ts";
import { chatToTencent } from "../translations/chat-to-tencent.ts";
import { composeTranslations } from "../translations/composed-translation.ts";
import { addCustomTools } from "../translations/custom-as-functions.ts";
import { embeddingsToBaidu } from "../translations/embeddings-to-baidu.ts";
import { embeddingsToBedrock, embeddingsToVertex } from "../translations/embeddings-to-cloud.ts";
import { embeddingsToGemini } from "../translations/embeddings-to-gemini.ts";
import { embeddingsToTencent } from "../translations/embeddings-to-tencent.ts";
import { geminiAsList } from "../translations/gemini-as-list.ts";
import { geminiThroughChat, geminiToChat } from "../translations/gemini-to-chat.ts";
import { imagesToGemini } from "../translations/images-to-gemini.ts";
import { imagesToReplicate } from "../translations/images-to-replicate.ts";
import { messagesThroughChat, messagesToChat } from "../translations/messages-to-chat.ts";
import { responsesThroughChat, responsesToChat } from "../translations/responses-to-chat.ts";
import {
  findSourceField,
  type ReplyTranslator,
  type Translation,
  translateRequest,
} from "../translations/translation.ts";
import { removeCertainRefusals } from "../value-rules/own-format-rules.ts";
import { restoreNames } from "../value-rules/restored-names.ts";
import { type JsonRecord, records, writeWellFormed } from "../wire/json-parts.ts";

/** The translations of chat completions, in order of preference. */
const fromChat: readonly Translation[] = [
  chatToResponses,
  addCustomTools(chatToMessages),
  addCustomTools(chatToGemini),
  addCustomTools(chatToConverse),
  addCustomTools(chatToBaidu),
  addCustomTools(chatToTencent),
  chatToCoze,
  chatToReplicate,
  chatToDeepl,
  chatToAiProxy,
];

/** A format that translates to chat completions reaches all their translations. */
const throughChat = (toChat: Translation, through: Translation): Translation[] => [
  toChat,
  ...fromChat.map((onward) => composeTranslations(through, onward)),
];

const geminiCalls = throughChat(geminiToChat, geminiThroughChat);

export const translations: Readonly<Partial<Record<ApiEndpoint, readonly Translation[]>>> = {
  chat_completions: fromChat,
  response_api: throughChat(responsesToChat, responsesThroughChat),
  claude_messages: throughChat(messagesToChat, messagesThroughChat),
  embeddings: [
    embeddingsToGemini,
    embeddingsToBaidu,
    embeddingsToTencent,
    embeddingsToBedrock,
    embeddingsToVertex,
  ],
  images_generations: [imagesToReplicate, imagesToGemini],
  gemini: geminiCalls,
  gemini_list: [
    geminiAsList,
    ...geminiCalls.map((onward) => composeTranslations(geminiAsList, onward)),
  ],
};

const findTranslation = (entry: ApiEndpoint, urls: EndpointUrls): Translation | undefined =>
  translations[entry]?.find(({ target }) => urls[target.endpoint]);

export const canServe = (entry: ApiEndpoint, urls: EndpointUrls): boolean =>
  urls[entry] !== undefined || findTranslation(entry, urls) !== undefined;

/** `losesTools` says whether a call on this way would have none of the tools that it needs. */
export function losesTools(
  entry: ApiEndpoint,
  urls: EndpointUrls,
  needed: NeededTools | undefined,
): boolean {
  if (needed === undefined || urls[entry]) return false;
  return needed === "own_api" || findTranslation(entry, urls)?.lacksTools === true;
}

export interface UpstreamPlan {
  /** The call as this channel receives it. */
  call: RelayCall;
  /** Translates the reply into the client's format; undefined where it needs no translation. */
  translator: ReplyTranslator | undefined;
  /** Fields of the client's body that this channel does not receive, by the client's names. */
  dropped: readonly string[];
  /**
   * The client's name for a member of a translated body that a later step leaves out; null for what
   * the translation made up.
   */
  clientName?(path: string): string | null;
  /** `marks` counts the marks for the prompt cache that the gateway has set. */
  marks?: number;
  /** Stores ids in the reply before the client learns them; undefined where there are none. */
  keeper?: StateKeeper | undefined;
}

const ofOpenAi = new Set<number | undefined>([channelTypeIds.openAi, channelTypeIds.azure]);

/** `turns` are not translated to learn how a request is set: they are nearly all of its bytes. */
const noTurns = { messages: [], contents: [], input: [] };

/**
 * `isRefusedInChat` says whether OpenAI refuses in chat completions what a request asks for. A call
 * of the API's own client keeps its bytes, and is corrected after a refusal.
 */
function isRefusedInChat(
  toChat: Translation,
  json: JsonRecord,
  model: string,
  channelType: number | undefined,
): boolean {
  const mayBe =
    toChat.target.endpoint === "chat_completions" &&
    ofOpenAi.has(channelType) &&
    json.tools !== undefined &&
    thinksBesideToolsElsewhere(model, "low");
  if (!mayBe) return false;
  const { tools, reasoning_effort } = translateRequest(toChat, { ...json, ...noTurns }, model).body;
  return (
    records(tools).some(({ type }) => type === "function") &&
    thinksBesideToolsElsewhere(model, reasoning_effort)
  );
}

/** `channelType` tells the provider apart where its address does not. */
export function planUpstreamCall(
  call: RelayCall,
  urls: EndpointUrls,
  model: string,
  channelType?: number,
): UpstreamPlan {
  const { endpoint } = call.client;
  const usual = urls[endpoint] ? undefined : findTranslation(endpoint, urls);
  if (!usual) {
    const own = removeCertainRefusals(call, model, { channelType, host: urls[endpoint]?.hostname });
    return { call: own.call, translator: undefined, dropped: own.lost };
  }
  const json = JSON.parse(call.body.toString("utf8")) as JsonRecord;
  const { chat_completions: _, ...others } = urls;
  const elsewhere =
    others.response_api && isRefusedInChat(usual, json, model, channelType)
      ? findTranslation(endpoint, others)
      : undefined;
  const translation = elsewhere ?? usual;
  const destination = { channelType, host: urls[translation.target.endpoint]?.hostname };
  const { body, dropped, renamed } = translateRequest(
    translation,
    json,
    model,
    call.isStream,
    destination,
  );
  const translated: RelayCall = {
    ...call,
    upstream: translation.target,
    body: Buffer.from(writeWellFormed(body)),
    headers: [],
    // The reply translator reports usage to the client and needs it from the upstream.
    wantsUsage: true,
    streamOptions: {},
  };
  const translator = translation.createReplyTranslator(call);
  return {
    call: translated,
    translator: renamed ? restoreNames(translator, renamed) : translator,
    dropped,
    clientName: (path) => findSourceField(path, translation.sourceFields ?? {}),
  };
}
