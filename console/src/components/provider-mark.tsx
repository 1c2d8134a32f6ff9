import { channelTypeIds as ids } from "@tollgate/contract/catalogue/channel-types.ts";
import anthropic from "./marks/anthropic.svg?url&no-inline";
import deepSeek from "./marks/deepseek.svg?url&no-inline";
import gemini from "./marks/gemini.svg?url&no-inline";
import groq from "./marks/groq.svg?url&no-inline";
import mistral from "./marks/mistral.svg?url&no-inline";
import ollama from "./marks/ollama.svg?url&no-inline";
import openAi from "./marks/openai.svg?url&no-inline";
import openRouter from "./marks/openrouter.svg?url&no-inline";
import xAi from "./marks/xai.svg?url&no-inline";

/**
 * `marks` are files, which a browser loads when they are shown. From @lobehub/icons-static-svg
 * 1.95.1 (MIT).
 */
const marks: Readonly<Record<number, string>> = {
  [ids.openAi]: openAi,
  [ids.anthropic]: anthropic,
  [ids.gemini]: gemini,
  [ids.geminiCompatible]: gemini,
  [ids.openRouter]: openRouter,
  [ids.deepSeek]: deepSeek,
  [ids.mistral]: mistral,
  [ids.groq]: groq,
  [ids.xAi]: xAi,
  [ids.ollama]: ollama,
};

/** The mark of a provider in the colour of the text, or the first letter of its name. */
export function ProviderMark({ type, name }: { type: number; name: string }) {
  const mark = marks[type];
  if (mark === undefined)
    return (
      <span
        aria-hidden="true"
        className="flex size-5 shrink-0 items-center justify-center rounded-sm bg-sunken font-semibold text-xs"
      >
        {name.slice(0, 1)}
      </span>
    );
  return (
    <span
      aria-hidden="true"
      className="size-5 shrink-0 bg-current p-0.5 forced-color-adjust-none"
      style={{ mask: `url("${mark}") center / 16px no-repeat` }}
    />
  );
}
