/** Cloudflare's Workers AI: OpenAI's interfaces below the number of an account. */
import { type EntryUrls, openAiUrls } from "./entry-urls.ts";
import type { Provider, ProviderSettings } from "./provider.ts";
import { bearer } from "./usual.ts";

const served = new Set(["chat_completions", "embeddings"] as const);

function entries({ type, base, config }: ProviderSettings): EntryUrls {
  if (typeof config.user_id !== "string" || config.user_id === "") return {};
  return openAiUrls(type.id, served, base, `/client/v4/accounts/${encodeURIComponent(config.user_id)}/ai/v1`);
}

export const cloudflare: Provider = { entries, credentials: bearer };
