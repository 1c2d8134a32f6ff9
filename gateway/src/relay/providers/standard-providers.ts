/** Providers with OpenAI's, Anthropic's or Gemini's API unchanged, each at its own URL. */
import type { PassedHeaders } from "../formats/call-parts.ts";
import { buildEndpointUrls } from "./endpoint-urls.ts";
import type { ProviderAdapter } from "./provider.ts";

export const composeBearer = (secret: string): string[] => ["authorization", `Bearer ${secret}`];

export const openAi: ProviderAdapter = { endpoints: buildEndpointUrls, credentials: composeBearer };

/** Anthropic requires a version; used when the client sends none. */
const defaultVersionHeader = ["anthropic-version", "2023-06-01"];

export const anthropic: ProviderAdapter = {
  endpoints: buildEndpointUrls,
  credentials: (secret: string, { headers }: PassedHeaders): string[] => [
    "x-api-key",
    secret,
    ...(headers.includes("anthropic-version") ? [] : defaultVersionHeader),
  ],
};

export const gemini: ProviderAdapter = {
  endpoints: buildEndpointUrls,
  credentials: (secret) => ["x-goog-api-key", secret],
};
