/** Providers that speak OpenAI's, Anthropic's or Gemini's interface as it is, each at its own address. */
import type { Call } from "../shapes/shape.ts";
import { entryUrls } from "./entry-urls.ts";
import type { Provider } from "./provider.ts";

export const bearer = (secret: string): string[] => ["authorization", `Bearer ${secret}`];

export const openAi: Provider = { entries: entryUrls, credentials: bearer };

/** What Anthropic wants to be told, where the caller does not say it. */
const usualVersion = ["anthropic-version", "2023-06-01"];

export const anthropic: Provider = {
  entries: entryUrls,
  credentials: (secret: string, { headers }: Call): string[] => [
    "x-api-key",
    secret,
    ...(headers.includes("anthropic-version") ? [] : usualVersion),
  ],
};

export const gemini: Provider = { entries: entryUrls, credentials: (secret) => ["x-goog-api-key", secret] };
