/** Cloudflare's Workers AI: OpenAI's APIs below an account number. */
import { type EndpointUrls, openAiUrls } from "./endpoint-urls.ts";
import type { ProviderAdapter, ProviderSettings } from "./provider.ts";
import { composeBearer } from "./standard-providers.ts";

const served = new Set(["chat_completions", "embeddings"] as const);

function buildEntries({ type, base, config }: ProviderSettings): EndpointUrls {
  if (typeof config.user_id !== "string" || config.user_id === "") return {};
  return openAiUrls(
    type.id,
    served,
    base,
    `/client/v4/accounts/${encodeURIComponent(config.user_id)}/ai/v1`,
  );
}

export const cloudflare: ProviderAdapter = { endpoints: buildEntries, credentials: composeBearer };
