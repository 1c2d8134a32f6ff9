/** How a call can reach a channel: in its own shape where the channel speaks it, else translated. */
import type { EndpointName } from "@tollgate/contract/channel-endpoints.ts";
import type { EntryUrls } from "./providers/entry-urls.ts";
import type { Call } from "./shapes/shape.ts";
import { chatToMessages } from "./translations/chat-to-messages.ts";
import { messagesToChat } from "./translations/messages-to-chat.ts";
import type { AnswerTranslator, Json, Translation } from "./translations/translation.ts";

/** In the order in which they are preferred. */
const translations: Readonly<Partial<Record<EndpointName, readonly Translation[]>>> = {
  chat_completions: [chatToMessages],
  claude_messages: [messagesToChat],
};

const translationFor = (entry: EndpointName, urls: EntryUrls): Translation | undefined =>
  translations[entry]?.find(({ to }) => urls[to.entry]);

export const canServe = (entry: EndpointName, urls: EntryUrls): boolean =>
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
  const body = translation.body(JSON.parse(call.body.toString("utf8")) as Json, model);
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
