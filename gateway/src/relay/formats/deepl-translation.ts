/** DeepL translates a text. */
import { type JsonRecord, records, text } from "../wire/json-parts.ts";
import { buildNativeProtocol, type ReplyDelta } from "./native-protocol.ts";
import { wholeReply } from "./reply-facts.ts";

/** `deepl-` is optional: `deepl-de`, `deepl-zh-hans`, `PT-BR`. */
const languageModel = /^(?:deepl-)?([a-z]{2,3}(?:-[a-z0-9]{2,4})?)$/i;

/** The language code in a model's name, or undefined when there is none. */
export const findTargetLanguage = (model: string): string | undefined =>
  languageModel.exec(model)?.[1]?.toUpperCase();

function readDelta({ translations }: JsonRecord): ReplyDelta | undefined {
  if (!Array.isArray(translations)) return undefined;
  const texts = records(translations).map((translation) => text(translation.text));
  return { content: texts.join("\n"), finishReason: "stop" };
}

export const deeplTranslation = buildNativeProtocol({
  endpoint: "deepl_translation",
  createReader: () => readDelta,
  replies: wholeReply,
});
