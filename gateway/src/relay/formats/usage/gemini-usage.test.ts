import { describe, expect, test } from "vitest";
import { noUsage } from "../../../money/prices/price.ts";
import {
  buildGrounding,
  buildLookupsAsked,
  noGrounding,
  parseGeminiUsage,
} from "./gemini-usage.ts";

const counted = (modality: string, tokenCount: unknown) => ({ modality, tokenCount });

describe("what Google counts", () => {
  test.each([
    [
      "everything at once, each token in one bucket",
      {
        promptTokenCount: 100,
        cachedContentTokenCount: 40,
        toolUsePromptTokenCount: 9,
        candidatesTokenCount: 50,
        thoughtsTokenCount: 20,
        totalTokenCount: 179,
        promptTokensDetails: [counted("TEXT", 70), counted("AUDIO", 30)],
        cacheTokensDetails: [counted("AUDIO", 10)],
        candidatesTokensDetails: [counted("TEXT", 20), counted("IMAGE", 18), counted("AUDIO", 12)],
      },
      {
        input: 49,
        cache_read: 30,
        output: 40,
        input_audio: 20,
        cache_read_audio: 10,
        output_image: 18,
        output_audio: 12,
      },
      50,
    ],
    [
      "no more sound in a prompt than is not cached",
      {
        promptTokenCount: 100,
        cachedContentTokenCount: 40,
        candidatesTokenCount: 1,
        promptTokensDetails: [counted("AUDIO", 500)],
      },
      { cache_read: 40, output: 1, input_audio: 60 },
      0,
    ],
    [
      "no more sound in an answer than is no picture",
      {
        promptTokenCount: 1,
        candidatesTokenCount: 50,
        candidatesTokensDetails: [counted("IMAGE", 30), counted("AUDIO", 500)],
      },
      { input: 1, output_image: 30, output_audio: 20 },
      50,
    ],
    [
      "reasoning that only the total holds",
      { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 22 },
      { input: 10, output: 12 },
      7,
    ],
    [
      "no detail that is none",
      {
        promptTokenCount: 10,
        candidatesTokenCount: 5,
        promptTokensDetails: [null, {}, counted("AUDIO", undefined), counted("AUDIO", "7")],
      },
      { input: 10, output: 5 },
      0,
    ],
  ])("is charged as %s", (_, wire, usage, hiddenOutput) => {
    expect(parseGeminiUsage(wire)).toStrictEqual({
      usage: { ...noUsage, ...usage },
      hiddenOutput,
      isCorrected: false,
      wire: { family: "gemini", members: wire },
    });
  });
  test("is corrected where what was cached is no number", () => {
    const wire = { promptTokenCount: 10, candidatesTokenCount: 5, cachedContentTokenCount: "4" };
    expect(parseGeminiUsage(wire)).toMatchObject({
      usage: { input: 10, cache_read: 0 },
      isCorrected: true,
    });
  });
  test("counts a single search", () => {
    const wire = { promptTokenCount: 10, candidatesTokenCount: 5 };
    const grounding = buildGrounding([{ groundingMetadata: { webSearchQueries: ["alps"] } }]);
    expect(parseGeminiUsage(wire, grounding)).toStrictEqual({
      usage: { ...noUsage, input: 10, output: 5, web_searches: 1, grounded_requests: 1 },
      hiddenOutput: 0,
      isCorrected: false,
      wire: { family: "gemini", members: { ...wire, groundingMetadata: { webSearchQueries: 1 } } },
    });
  });
});

describe("the lookups of an answer", () => {
  const place = { groundingChunks: [{ web: { title: "a page" } }, { maps: { title: "Bern" } }] };

  test("are none where nothing was looked up, or the member is no list", () => {
    expect(
      buildGrounding([
        {},
        { groundingMetadata: { webSearchQueries: "alps", groundingChunks: [{}] } },
      ]),
    ).toEqual(noGrounding);
  });
  test("are those of all candidates and of the events before", () => {
    const before = buildGrounding([{ groundingMetadata: place }, {}]);
    expect(before).toEqual({ ...noGrounding, hasPages: true, hasPlaces: true });
    const after = buildGrounding(
      [{ groundingMetadata: { webSearchQueries: ["alps", ""], imageSearchQueries: ["eiger"] } }],
      before,
    );
    expect(after).toEqual({
      ...{ searches: new Set(["alps"]), pictureSearches: new Set(["eiger"]) },
      ...{ hasPages: true, hasPlaces: true },
    });
    expect(buildGrounding([], after)).toEqual(after);
  });

  const maps = { maps: { title: "Bern" } };
  test.each([
    [
      "one search and a call with places",
      { groundingChunks: [maps] },
      { web_searches: 1, map_requests: 1 },
    ],
    [
      "the searches that are named, and no call with pages",
      { groundingChunks: [maps], webSearchQueries: ["a", "b"] },
      { web_searches: 2, map_requests: 1 },
    ],
    [
      "both kinds of call where there are pages and places",
      { ...place, webSearchQueries: ["a"] },
      { web_searches: 1, grounded_requests: 1, map_requests: 1 },
    ],
    [
      "searches of pictures as of pages",
      { webSearchQueries: ["a"], imageSearchQueries: ["a", "b"] },
      { web_searches: 3, grounded_requests: 1 },
    ],
  ])("are charged as %s", { tags: ["S2-02"] }, (_, groundingMetadata, lookups) => {
    const wire = { promptTokenCount: 10, candidatesTokenCount: 5 };
    const reported = parseGeminiUsage(wire, buildGrounding([{ groundingMetadata }]));
    expect(reported?.usage).toEqual({ ...noUsage, input: 10, output: 5, ...lookups });
    expect(reported).not.toHaveProperty("hasUnknownFee");
  });
});

test("what was looked up stands among the counts of the log row", () => {
  const grounding = buildGrounding([
    {
      groundingMetadata: {
        imageSearchQueries: ["a"],
        groundingChunks: [{ maps: {} }, { maps: {} }],
      },
    },
  ]);
  const reported = parseGeminiUsage({ promptTokenCount: 1, candidatesTokenCount: 1 }, grounding);
  expect(reported?.wire?.members.groundingMetadata).toEqual({
    imageSearchQueries: 1,
    groundingChunks: 1,
  });
});

test.each([
  [[{ googleMaps: {} }], { web_searches: 1, map_requests: 1 }],
  [[{ google_search: {} }], { web_searches: 1, grounded_requests: 1 }],
  [
    [{ googleSearchRetrieval: {}, google_maps: {} }],
    { web_searches: 1, grounded_requests: 1, map_requests: 1 },
  ],
  [[{ functionDeclarations: [] }, null], undefined],
  ["none", undefined],
])("the tools %j set aside %j", (tools, extras) => {
  expect(buildLookupsAsked({ tools }).extras).toEqual(extras);
});

test("a prompt that Google does not count is left to the estimate", () => {
  expect(parseGeminiUsage({ candidatesTokenCount: 5 })?.isPromptUncounted).toBe(true);
  expect(
    parseGeminiUsage({ promptTokenCount: 0, candidatesTokenCount: 5 })?.isPromptUncounted,
  ).toBeUndefined();
});
