/**
 * The amount of the web that a request asks a provider to search, where the price of the call
 * depends on it. Pure.
 */
import { type SearchSize, searchSizes, searchVariant } from "../../../money/prices/tool-fees.ts";
import { type JsonRecord, record } from "../../wire/json-parts.ts";
import type { StatedNeeds } from "../call-parts.ts";

/**
 * Perplexity searches in several steps only while it streams:
 * https://docs.perplexity.ai/guides/pro-search-quickstart.
 */
const stepTypes: readonly unknown[] = ["pro", "auto"];

/**
 * The dearest of what the request says; nothing where it leaves the choice to the provider, whose
 * price is the listed one.
 */
export function readSearchVariant(
  json: JsonRecord,
  isStream: boolean,
): Pick<StatedNeeds, "variant"> {
  const holders = [json, record(json.web_search_options)];
  const sizes = holders.map(({ search_context_size }) => findSize(search_context_size));
  const isInSteps = isStream && holders.some(({ search_type }) => stepTypes.includes(search_type));
  const size = searchSizes.findLast((one) => sizes.includes(one));
  return size === undefined && !isInSteps
    ? {}
    : { variant: searchVariant(size ?? "low", isInSteps) };
}

const findSize = (asked: unknown): SearchSize | undefined =>
  searchSizes.find((size) => size === asked);
