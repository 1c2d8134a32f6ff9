/** Azure: OpenAI's interfaces with the deployment and a version in the address, and Claude beside them. */
import type { Call } from "../shapes/shape.ts";
import { type EntryUrls, hasResponsesAlone, joined } from "./entry-urls.ts";
import type { Provider, ProviderSettings } from "./provider.ts";
import { anthropic } from "./usual.ts";

const usualVersion = "2024-10-21";
/** Models that reason are served by newer versions only. */
const reasoning = /^o[134](-|$)/;
const reasoningVersion = "2025-04-01-preview";

const tasks = {
  chat_completions: "chat/completions",
  completions: "completions",
  embeddings: "embeddings",
  images_generations: "images/generations",
  audio_speech: "audio/speech",
  audio_transcription: "audio/transcriptions",
} as const;

function entries({ base, config, other }: ProviderSettings, model: string): EntryUrls {
  if (model.startsWith("claude-")) return urls([["claude_messages", joined(base, "/anthropic/v1/messages")]]);
  const stated = typeof config.api_version === "string" && config.api_version !== "" ? config.api_version : other;
  const version = reasoning.test(model) ? reasoningVersion : stated || usualVersion;
  const deployment = `/openai/deployments/${encodeURIComponent(model)}`;
  const served = Object.entries(tasks).filter(([entry]) => entry !== "chat_completions" || !hasResponsesAlone(model));
  return urls([
    ...served.map(([entry, task]): [string, URL | null] => [
      entry,
      joined(base, `${deployment}/${task}?api-version=${encodeURIComponent(version)}`),
    ]),
    ["response_api", joined(base, "/openai/v1/responses?api-version=v1")],
    // The one below a deployment was a preview, which Azure has ended.
    ["realtime", joined(base, "/openai/v1/realtime")],
  ]);
}

const urls = (named: readonly [string, URL | null][]): EntryUrls =>
  Object.fromEntries(named.filter(([, url]) => url !== null)) as EntryUrls;

export const azure: Provider = {
  entries,
  credentials: (secret: string, call: Call): string[] =>
    call.shape.entry === "claude_messages" ? anthropic.credentials(secret, call) : ["api-key", secret],
};
