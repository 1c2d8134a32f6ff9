/** DeepL translates a text. */
import { type Json, records, text } from "../json-parts.ts";
import { ownShape, type Said } from "./own-shape.ts";

/** `deepl-` may stand in front: `deepl-de`, `deepl-zh-hans`, `PT-BR`. */
const language = /^(?:deepl-)?([a-z]{2,3}(?:-[a-z0-9]{2,4})?)$/i;

/** The code of the language that a model's name asks for, or undefined when it names none. */
export const targetLanguage = (model: string): string | undefined => language.exec(model)?.[1]?.toUpperCase();

function said({ translations }: Json): Said | undefined {
  if (!Array.isArray(translations)) return undefined;
  const all = records(translations).map((one) => text(one.text));
  return { content: all.join("\n"), finish: "stop" };
}

export const deeplTranslation = ownShape({ entry: "deepl_translation", reader: () => said, isOneEvent: true });
