/**
 * Usage as Google counts it: reasoning is counted beside the output, cached tokens inside the
 * prompt.
 */
import {
  type ExtraUsage,
  noUsage,
  pickUsedExtras,
  type Usage,
} from "../../../money/prices/price.ts";
import { type JsonRecord, record, records } from "../../wire/json-parts.ts";
import { findTokenCount, type ReportedUsage } from "./reported-usage.ts";

interface GeminiUsageWire {
  promptTokenCount?: unknown;
  /** Tokens that tools run by Google add to the prompt; `promptTokenCount` excludes them. */
  toolUsePromptTokenCount?: unknown;
  /** `totalTokenCount` holds all of these together. */
  totalTokenCount?: unknown;
  cachedContentTokenCount?: unknown;
  candidatesTokenCount?: unknown;
  thoughtsTokenCount?: unknown;
  promptTokensDetails?: unknown;
  cacheTokensDetails?: unknown;
  candidatesTokensDetails?: unknown;
}

/** `GeminiGrounding` is what Google looked up for an answer. */
export interface GeminiGrounding {
  /** Different searches of the web; Google bills no empty one. */
  searches: ReadonlySet<string>;
  /** Different searches of pictures, billed as those of the web. */
  pictureSearches: ReadonlySet<string>;
  /** A page of the web is among the sources. */
  hasPages: boolean;
  /** A place of Google Maps is. */
  hasPlaces: boolean;
}

export const noGrounding: GeminiGrounding = {
  searches: new Set(),
  pictureSearches: new Set(),
  hasPages: false,
  hasPlaces: false,
};

const isSearch = (query: unknown): query is string => typeof query === "string" && query !== "";

/** The lookups of these candidates and of those before. */
export function buildGrounding(
  candidates: readonly JsonRecord[],
  before: GeminiGrounding = noGrounding,
): GeminiGrounding {
  const grounded = candidates.map(({ groundingMetadata }) => record(groundingMetadata));
  const searchesIn = (member: string): string[] =>
    grounded.flatMap((metadata) =>
      Array.isArray(metadata[member]) ? metadata[member].filter(isSearch) : [],
    );
  const has = (source: string): boolean =>
    grounded.some(({ groundingChunks }) =>
      records(groundingChunks).some((chunk) => chunk[source] != null),
    );
  return {
    searches: new Set([...before.searches, ...searchesIn("webSearchQueries")]),
    pictureSearches: new Set([...before.pictureSearches, ...searchesIn("imageSearchQueries")]),
    hasPages: before.hasPages || has("web"),
    hasPlaces: before.hasPlaces || has("maps"),
  };
}

/**
 * `buildLookups` goes by the generation of the model: either each search has a price or the call
 * with them. A lookup of places is a search as well, and before Gemini 3 a call with places has a
 * price of its own.
 */
function buildLookups({ searches, pictureSearches, hasPages, hasPlaces }: GeminiGrounding) {
  const named = searches.size + pictureSearches.size;
  const isOfPlaces = hasPlaces && !hasPages;
  return {
    web_searches: hasPlaces ? Math.max(named, 1) : named,
    grounded_requests: named > 0 && !isOfPlaces ? 1 : 0,
    map_requests: hasPlaces ? 1 : 0,
  };
}

/** `buildLookupsAsked` gives what a request sets aside for the lookups of its tools. */
export function buildLookupsAsked({ tools }: JsonRecord): { extras?: ExtraUsage } {
  const asked = new Set(records(tools).flatMap((tool) => Object.keys(tool)));
  const searches = [
    "googleSearch",
    "google_search",
    "googleSearchRetrieval",
    "google_search_retrieval",
  ];
  const web = searches.some((name) => asked.has(name)) && { web_searches: 1, grounded_requests: 1 };
  const places = (asked.has("googleMaps") || asked.has("google_maps")) && {
    web_searches: 1,
    map_requests: 1,
  };
  return web || places ? { extras: { ...web, ...places } } : {};
}

/** Undefined when every count is 0. */
export function parseGeminiUsage(
  wire: unknown,
  grounding: GeminiGrounding = noGrounding,
): ReportedUsage | undefined {
  if (typeof wire !== "object" || wire === null) return undefined;
  const reported = wire as GeminiUsageWire;
  const prompt = findTokenCount(reported.promptTokenCount ?? 0);
  const answer = findTokenCount(reported.candidatesTokenCount ?? 0);
  if (prompt === undefined || answer === undefined) return undefined;
  const toolPrompt = findTokenCount(reported.toolUsePromptTokenCount) ?? 0;
  // What the total counts beside the members is output.
  const counted = prompt + toolPrompt + answer;
  const reasoning = Math.max(
    findTokenCount(reported.thoughtsTokenCount) ?? 0,
    (findTokenCount(reported.totalTokenCount) ?? 0) - counted,
  );
  const output = answer + reasoning;
  if (prompt === 0 && output === 0) return undefined;
  const reportedCached = reported.cachedContentTokenCount ?? 0;
  const cache_read = Math.min(findTokenCount(reportedCached) ?? 0, prompt);
  const cache_read_audio = Math.min(formatTokens("AUDIO", reported.cacheTokensDetails), cache_read);
  const uncachedAudio = formatTokens("AUDIO", reported.promptTokensDetails) - cache_read_audio;
  const input_audio = Math.min(Math.max(0, uncachedAudio), prompt - cache_read);
  const output_image = Math.min(formatTokens("IMAGE", reported.candidatesTokensDetails), answer);
  const output_audio = Math.min(
    formatTokens("AUDIO", reported.candidatesTokensDetails),
    answer - output_image,
  );
  const lookups = buildLookups(grounding);
  const extras = { input_audio, cache_read_audio, output_image, output_audio, ...lookups };
  const usage: Usage = {
    ...noUsage,
    input: prompt - cache_read - input_audio + toolPrompt,
    cache_read: cache_read - cache_read_audio,
    output: output - output_image - output_audio,
    ...pickUsedExtras(extras),
  };
  // The tokens of images and speech cannot be estimated from the text of a reply.
  const textTokens = Math.min(formatTokens("TEXT", reported.candidatesTokensDetails), answer);
  const hiddenOutput =
    reasoning + (Array.isArray(reported.candidatesTokensDetails) ? answer - textTokens : 0);
  return {
    usage,
    hiddenOutput,
    isCorrected: cache_read !== reportedCached,
    ...(reported.promptTokenCount == null && { isPromptUncounted: true }),
    wire: {
      family: "gemini",
      members: {
        ...record(wire),
        ...buildGroundingMembers(grounding),
      },
    },
  };
}

/** Counts of what was looked up, as if they stood in the usage. */
function buildGroundingMembers({
  searches,
  pictureSearches,
  hasPlaces,
}: GeminiGrounding): JsonRecord {
  const groundingMetadata = {
    ...(searches.size > 0 && { webSearchQueries: searches.size }),
    ...(pictureSearches.size > 0 && { imageSearchQueries: pictureSearches.size }),
    ...(hasPlaces && { groundingChunks: 1 }),
  };
  return Object.keys(groundingMetadata).length > 0 ? { groundingMetadata } : {};
}

function formatTokens(modality: string, details: unknown): number {
  if (!Array.isArray(details)) return 0;
  return details.reduce(
    (sum: number, detail: { modality?: unknown; tokenCount?: unknown } | null) =>
      sum + (detail?.modality === modality ? (findTokenCount(detail.tokenCount) ?? 0) : 0),
    0,
  );
}
