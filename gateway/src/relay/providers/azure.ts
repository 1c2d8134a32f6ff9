/** Azure: OpenAI's APIs with deployment and API version in the URL, and Claude beside them. */
import type { CallFormats } from "../formats/api-format.ts";
import type { PassedHeaders } from "../formats/call-parts.ts";
import { type EndpointUrls, hasResponsesAlone, joinUrl } from "./endpoint-urls.ts";
import type { ProviderAdapter, ProviderSettings } from "./provider.ts";
import { anthropic } from "./standard-providers.ts";

const defaultVersion = "2024-10-21";
/** Only newer API versions serve reasoning models. */
const isReasoningModel = /^o[134](-|$)/;
const reasoningVersion = "2025-04-01-preview";

const tasks = {
  chat_completions: "chat/completions",
  completions: "completions",
  embeddings: "embeddings",
  images_generations: "images/generations",
  audio_speech: "audio/speech",
  audio_transcription: "audio/transcriptions",
} as const;

function buildEntries({ base, config, other }: ProviderSettings, model: string): EndpointUrls {
  if (model.startsWith("claude-"))
    return buildUrls([["claude_messages", joinUrl(base, "/anthropic/v1/messages")]]);
  const stated =
    typeof config.api_version === "string" && config.api_version !== ""
      ? config.api_version
      : other;
  const version = isReasoningModel.test(model) ? reasoningVersion : stated || defaultVersion;
  const deployment = `/openai/deployments/${encodeURIComponent(model)}`;
  const served = Object.entries(tasks).filter(
    ([endpoint]) => endpoint !== "chat_completions" || !hasResponsesAlone(model),
  );
  return buildUrls([
    ...served.map(([endpoint, task]): [string, URL | null] => [
      endpoint,
      joinUrl(base, `${deployment}/${task}?api-version=${encodeURIComponent(version)}`),
    ]),
    ["response_api", joinUrl(base, "/openai/v1/responses?api-version=v1")],
    // Azure has ended the preview below a deployment.
    ["realtime", joinUrl(base, "/openai/v1/realtime")],
  ]);
}

const buildUrls = (named: readonly [string, URL | null][]): EndpointUrls =>
  Object.fromEntries(named.filter(([, url]) => url !== null)) as EndpointUrls;

export const azure: ProviderAdapter = {
  endpoints: buildEntries,
  credentials: (secret: string, call: PassedHeaders & CallFormats): string[] =>
    call.upstream.endpoint === "claude_messages"
      ? anthropic.credentials(secret, call)
      : ["api-key", secret],
};
