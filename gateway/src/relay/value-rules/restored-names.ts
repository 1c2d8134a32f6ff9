/** Gives the client its own names of tools back, where the provider got shorter ones. Pure. */
import type { ReplyTranslator } from "../translations/translation.ts";
import { type JsonRecord, parseObject } from "../wire/json-parts.ts";

/**
 * The reply of the provider with the client's names, before it is translated. A sent name ends in a
 * hash and stands in the JSON as one whole text: nothing else is equal to it.
 */
export function restoreNames(
  translator: ReplyTranslator,
  renamed: ReadonlyMap<string, string>,
): ReplyTranslator {
  const written = [...renamed].map(
    ([sent, own]) => [JSON.stringify(sent), JSON.stringify(own)] as const,
  );
  const restored = (json: string): string =>
    written.reduce((one, [sent, own]) => one.replaceAll(sent, () => own), json);
  return {
    translateReply: (json: JsonRecord) =>
      translator.translateReply(parseObject(restored(JSON.stringify(json)))),
    translateEvent: (event) => translator.translateEvent(restored(event)),
    finish: () => translator.finish(),
  };
}
