import { expect, test } from "vitest";
import { readSearchVariant } from "./search-variant.ts";

test.each([
  ["nothing", {}, true, undefined],
  ["a plain search", { web_search_options: {} }, true, undefined],
  ["a size", { web_search_options: { search_context_size: "medium" } }, false, "medium"],
  [
    "a size beside the options",
    { search_context_size: "high", web_search_options: {} },
    false,
    "high",
  ],
  [
    "two sizes, of which the dearer counts",
    { search_context_size: "high", web_search_options: { search_context_size: "low" } },
    false,
    "high",
  ],
  ["a size that is none", { web_search_options: { search_context_size: "huge" } }, true, undefined],
  ["several steps", { web_search_options: { search_type: "pro" } }, true, "low/steps"],
  [
    "several steps perhaps, in a large search",
    { web_search_options: { search_type: "auto", search_context_size: "high" } },
    true,
    "high/steps",
  ],
  [
    "several steps without a stream, which the provider does not take",
    { search_type: "pro" },
    false,
    undefined,
  ],
  ["one step", { web_search_options: { search_type: "fast" } }, true, undefined],
  [
    "options that are none",
    { web_search_options: ["high"], search_context_size: ["high"] },
    true,
    undefined,
  ],
])(
  "the price of a call follows what it asks to be searched: %s",
  { tags: ["S2-08"] },
  (_, json, isStream, variant) => {
    expect(readSearchVariant(json, isStream).variant).toBe(variant);
  },
);
