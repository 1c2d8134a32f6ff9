/** Providers that speak OpenAI's, Anthropic's or Gemini's interface as it is, each at its own address. */
import type { RelayCall } from "../formats/api-format.ts";
import { endpointUrls } from "./endpoint-urls.ts";
import type { ProviderAdapter } from "./provider.ts";

export const bearer = (secret: string): string[] => ["authorization", `Bearer ${secret}`];

export const openAi: ProviderAdapter = { endpoints: endpointUrls, credentials: bearer };

/** What Anthropic wants to be told, where the caller does not say it. */
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
