/** Providers with OpenAI's, Anthropic's or Gemini's API unchanged, each at its own URL. */
import type { RelayCall } from "../formats/api-format.ts";
import { endpointUrls } from "./endpoint-urls.ts";
import type { ProviderAdapter } from "./provider.ts";

export const bearer = (secret: string): string[] => ["authorization", `Bearer ${secret}`];

export const openAi: ProviderAdapter = { endpoints: endpointUrls, credentials: bearer };

/** Anthropic requires a version; used when the client sends none. */
const defaultVersionHeader = ["anthropic-version", "2023-06-01"];

export const anthropic: ProviderAdapter = {
  endpoints: endpointUrls,
  credentials: (secret: string, { headers }: RelayCall): string[] => [
    "x-api-key",
    secret,
    ...(headers.includes("anthropic-version") ? [] : defaultVersionHeader),
  ],
};

export const gemini: ProviderAdapter = { endpoints: endpointUrls, credentials: (secret) => ["x-goog-api-key", secret] };
