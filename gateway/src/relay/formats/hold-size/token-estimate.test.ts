import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryDir } from "@tollgate/tests/harness/repository-dir.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { noUsage, type Pricing, type Rates } from "../../../money/prices/price.ts";
import {
  buildOutputHold,
  computeUnseenInputTokens,
  estimateOutputTokens,
  estimatePromptTokens,
  estimateUsage,
  findMediaOutput,
  holdAmount,
  tokensPerImage,
  unseenTokens,
} from "./token-estimate.ts";
import { unseenInputKinds } from "./unseen-inputs.ts";

const tags = ["S2-04"];

describe("the estimate of a prompt", () => {
  const eight = "12345678";
  const image = `data:image/png;base64,${"A".repeat(9_000)}`;
  test.each<[string, Parameters<typeof estimatePromptTokens>, number]>([
    ["nothing at all", [[], {}, false], 0],
    ["four tokens for each message", [[{}, {}], {}, false], 8],
    ["a token for four bytes of text", [[{ content: eight }], {}, false], 6],
    ["more of them where it is rough", [[{ content: eight }], {}, true], Math.ceil(4 + 8 * 0.38)],
    ["bytes, not characters", [[{ content: "雪雪雪雪" }], {}, false], 7],
    [
      "text however deep it lies",
      [[{ content: [{ type: "text", text: { a: [eight] } }] }], {}, false],
      4 + 1 + 1 + 0.25 + 2,
    ],
    ["text in a list", [[{ content: [eight, eight] }], {}, false], 4 + 4],
    [
      "numbers and switches as a token each",
      [[{ content: [1, true, null, undefined] }], {}, false],
      4 + 3,
    ],
    ["a number of many digits by its length", [[{ content: [123_456_789_012] }], {}, false], 4 + 3],
    [
      "an image with its price, however long",
      [[{ content: [{ url: image }] }], {}, false],
      4 + 0.75 + 1_200,
    ],
    [
      "a text that begins like an image as text",
      [[{ content: image }], {}, false],
      4 + image.length / 4,
    ],
    ["the calls of tools", [[{ tool_calls: [{ name: eight }] }], {}, false], 4 + 1 + 2],
    [
      "calls in their old form",
      [[{ function_call: { arguments: eight } }], {}, false],
      4 + 9 / 4 + 2,
    ],
    [
      "every member of a message that it does not know",
      [[{ content: "", new_member: eight }], {}, false],
      6,
    ],
    ["a role that is as long as one may be", [[{ role: "r".repeat(40) }], {}, false], 4],
    [
      "a role that is a little too long",
      [[{ role: "r".repeat(41) }], {}, false],
      Math.ceil(4 + 41 / 4),
    ],
    ["a role that is too long for one", [[{ role: "r".repeat(400) }], {}, false], 4 + 100],
    ["a role that is no text", [[{ role: [eight] }], {}, false], 4 + 2],
    [
      "what looks like a picture in a tool, as text",
      [[], { tools: [{ url: image }] }, false],
      Math.ceil((3 + image.length) / 4),
    ],
    ["the tools themselves", [[], { tools: [{ name: eight }] }, false], 3],
    [
      "names in the arguments of a tool",
      [[{ content: [{ type: "tool_use", input: { [eight]: 1 } }] }], {}, false],
      4 + 2 + 1.25 + 2 + 1,
    ],
    [
      "what looks like a picture in what a model wrote for a server's tool, as text",
      [[{ content: [{ type: "mcp_tool_use", input: { url: image } }] }], {}, false],
      4 + (12 + 5 + 3 + image.length) / 4,
    ],
    [
      "a schema of the answer",
      [[], { response_format: { json_schema: { enum: [eight] } } }, false],
      11 / 4 + 1 + 2,
    ],
    ["a member that it does not know", [[], { unheard_of: [eight] }, false], 2],
    [
      "no settings",
      [
        [],
        { model: eight, temperature: 1, stream: true, metadata: { a: eight }, stop: null },
        false,
      ],
      0,
    ],
    ["a part of a token as one", [[{ content: "12345" }], {}, false], 6],
    ["a message that is text, by its bytes", [["🌊🌊🌊🌊"], {}, false], 4 + 4],
    ["a message that is a number, or nothing, as a token", [[7, null], {}, false], 8 + 2],
    ["a message that is a list, by its parts", [[[eight, eight]], {}, false], 4 + 4],
    ["no role of a message", [[{ role: eight, content: eight }], {}, false], 4 + 2],
  ])("counts %s", (_, asked, tokens) => {
    expect(estimatePromptTokens(...asked)).toBe(Math.ceil(tokens));
  });

  const attached = (part: object) => estimatePromptTokens([{ content: [part] }], {}, false);
  /** Data and its type, in the members that the formats have for them. */
  const withType = (member: string, type: unknown, data: string) => ({
    source: { [member]: type, data },
  });
  const lettersIn = (...names: string[]) => names.join("").length;

  test.each(["media_type", "mimeType", "mime_type", "format"])(
    "reads the type of an attachment in %s",
    (member) => {
      const names = lettersIn("source", member, "data");
      const recording = attached(withType(member, "audio/wav", "A".repeat(5_000)));
      expect(recording).toBe(Math.ceil(4 + (names + "audio/wav".length) / 4 + 10));
      const picture = attached(withType(member, "image/png", "A".repeat(9_000)));
      expect(picture).toBe(Math.ceil(4 + (names + "image/png".length) / 4 + 1_200));
    },
  );
  test.each([
    [249_500, 499],
    [501, 2],
    [500, 1],
  ])("counts %i letters of a recording as %i tokens", (letters, tokens) => {
    const names = lettersIn("source", "media_type", "data");
    const weight = attached(withType("media_type", "audio/wav", "A".repeat(letters)));
    expect(weight).toBe(Math.ceil(4 + (names + 9) / 4 + tokens));
  });
  test("counts data without a type, or with one that is no text, as text", () => {
    expect(attached({ source: { data: "A".repeat(1_000) } })).toBe(Math.ceil(4 + 10 / 4 + 250));
    expect(attached(withType("media_type", 7, "A".repeat(1_000)))).toBe(
      Math.ceil(4 + 20 / 4 + 1 + 250),
    );
  });
  test("a type beside an address makes no picture of it", { tags }, () => {
    const url = `https://e.org/${"a".repeat(4_000)}`;
    expect(attached({ source: { media_type: "image/png", url } })).toBeLessThan(1_200 + 4);
  });
  test("an address of data is one only with a short type", { tags }, () => {
    const withName = (length: number) => {
      const url = `data:image/${"a".repeat(length)};base64,${"A".repeat(9_000)}`;
      return attached({ url });
    };
    // The scheme, the type and the encoding are 200 letters at most.
    expect(withName(181)).toBe(Math.ceil(4 + 3 / 4 + 1_200));
    expect(withName(182)).toBeGreaterThan(9_000 / 4);
  });
  test("an input that is no tool's is read as usual, and so is what a call of a tool has beside its input", {
    tags,
  }, () => {
    const pictured = { url: `data:image/png;base64,${"A".repeat(9_000)}` };
    expect(attached({ type: "image_edit", input: pictured })).toBe(
      Math.ceil(4 + (10 + 5 + 3) / 4 + 1_200),
    );
    expect(attached({ type: "tool_use", extra: pictured })).toBe(4 + (8 + 5 + 3) / 4 + 1_200);
  });

  test.each([
    ["a recording, by its length", "audio/wav", 5_000, 10],
    ["a document, which is mostly text", "application/pdf", 5_000, 500],
    ["an image", "image/webp", 5_000, 1_200],
    ["text", "text/plain", 5_000, 1_250],
  ])("counts %s", (_, media_type, length, tokens) => {
    const part = { source: { media_type, data: "A".repeat(length) } };
    const empty = estimatePromptTokens(
      [{ content: [{ source: { media_type, data: "" } }] }],
      {},
      false,
    );
    const counted = estimatePromptTokens([{ content: [part] }], {}, false);
    expect(Math.abs(counted - empty - tokens)).toBeLessThanOrEqual(
      media_type === "image/webp" ? 1_200 : 1,
    );
  });

  test("an image in the arguments of a tool is text", { tags }, () => {
    const messages = [{ content: [{ type: "tool_use", input: { url: image } }] }];
    expect(estimatePromptTokens(messages, {}, false)).toBeGreaterThan(image.length / 4);
  });

  test("never weighs less than a quarter of the bytes of what is written in it", { tags }, () => {
    const key = fc
      .string({ minLength: 1 })
      .filter((name) => !["role", "type", "__proto__"].includes(name));
    const tree = fc.letrec((tie) => ({
      node: fc.oneof(
        fc.string(),
        fc.integer(),
        fc.array(tie("node")),
        fc.dictionary(key, tie("node")),
      ),
    })).node;
    const bytesIn = (value: unknown): number => {
      if (typeof value === "string") return Buffer.byteLength(value);
      if (typeof value === "number") return 4;
      if (Array.isArray(value)) return value.reduce((sum: number, part) => sum + bytesIn(part), 0);
      return Object.entries(value as object).reduce(
        (sum, [name, part]) => sum + Buffer.byteLength(name) + bytesIn(part),
        0,
      );
    };
    fc.assert(
      fc.property(tree, (content) => {
        expect(estimatePromptTokens([{ content }], {}, false)).toBeGreaterThanOrEqual(
          bytesIn(content) / 4,
        );
        expect(estimatePromptTokens([], { tools: [content] }, false)).toBeGreaterThanOrEqual(
          bytesIn(content) / 4,
        );
      }),
    );
  });
});

test("members that were estimated as messages are left out of the rest", () => {
  const messages = [{ content: "12345678" }];
  const json = { model: "m", messages, tools: ["1234"] };
  expect(estimatePromptTokens(messages, json, false, ["messages"])).toBe(4 + 2 + 1);
});

test("a member with the name of the prototype weighs like any other", { tags }, () => {
  const json = JSON.parse('{"__proto__":"1234567812345678","tools":[{"__proto__":"12345678"}]}');
  expect(estimatePromptTokens([], json, false)).toBe(4 + Math.ceil("__proto__".length / 4 + 2));
});

test.each([
  ["the caller's limit", 100, 8_000, 1, 100, 100],
  ["the model's, where it is lower", 9_000, 8_000, 1, 8_000, 8_000],
  ["a limit of one token", 2, 1, 1, 1, 1],
  ["the caller's alone", 100, 0, 1, 100, 100],
  ["each of several answers", 100, 0, 3, 300, 300],
  ["none where there is no output", 0, 8_000, 1, 0, 0],
  [
    "the model's largest output without a limit, and at least 4,096",
    undefined,
    8_000,
    1,
    8_000,
    4_096,
  ],
  ["a model's output that is smaller than that", undefined, 2_000, 1, 2_000, 2_000],
  ["an ordinary output of an unknown model", undefined, 0, 1, 16_384, 4_096],
  ["that of several answers", undefined, 8_000, 2, 16_000, 8_192],
  ["a single token, where the model writes no more", undefined, 1, 1, 1, 1],
])("the hold for the output is %s", { tags }, (_, asked, model, answers, wanted, least) => {
  expect(buildOutputHold(asked, model, answers)).toEqual({ wanted, least });
});

test("what is unseen of a request has a figure for each input of a kind, up to a bound", {
  tags,
}, () => {
  expect(computeUnseenInputTokens({})).toBe(0);
  expect(unseenInputKinds.map((kind) => computeUnseenInputTokens({ [kind]: 1 }))).toEqual([
    8_192, 32_768, 32_768, 32_768, 65_536, 32_768,
  ]);
  expect(computeUnseenInputTokens({ address: 2, file: 1 })).toBe(2 * 8_192 + 32_768);
  expect(computeUnseenInputTokens({ stored_state: 1e9 })).toBe(10_000_000);
  expect(computeUnseenInputTokens({ stored_state: 2, file: 1 }, [18])).toBe(18 + 65_536 + 32_768);
  expect(computeUnseenInputTokens({ stored_state: 1 }, [200_000])).toBe(200_000);
  expect(computeUnseenInputTokens({}, [200_000])).toBe(0);
});

describe("the hold", () => {
  /** `pricing` is one unit a token of a prompt, three a token of an answer, seven a second. */
  const pricing: Pricing = {
    rates: {
      input: 2_000_000n,
      cache_read: 0n,
      cache_write_5m: 0n,
      cache_write_1h: 0n,
      output: 6_000_000n,
      seconds: 14_000_000n,
    },
  };
  test("is the prompt with half as much again, what the operator adds without, and the whole answer", () => {
    expect(holdAmount(pricing, 3, 10, 20, 1_000_000)).toBe(5 + 10 + 60);
    expect(holdAmount(pricing, 100, 0, 0, 2_000_000)).toBe(300);
  });
  test("includes usage beside text", () => {
    expect(holdAmount(pricing, 2, 0, 1, 1_000_000, { seconds: 4 })).toBe(3 + 3 + 28);
  });
  test("is at the price of pictures or sound for as much of an answer as they may be", () => {
    const rates = { ...pricing.rates, output_image: pricing.rates.output * 10n };
    const drawn = { bucket: "output_image", max: 4 } as const;
    expect(holdAmount({ rates }, 0, 0, 20, 1_000_000, {}, drawn)).toBe(4 * 30 + 16 * 3);
    expect(holdAmount({ rates }, 0, 0, 3, 1_000_000, {}, drawn)).toBe(3 * 30);
    expect(holdAmount({ rates }, 0, 0, 3, 1_000_000, { output_image: 2 }, drawn)).toBe(5 * 30);
  });
});

describe("an answer may cost more than text", { tags }, () => {
  const body = (json: object) => ({ body: Buffer.from(JSON.stringify(json)), choiceCount: 2 });
  const plain = body({ messages: [] });
  const spoken = body({ modalities: ["text", "audio"] });
  const text: Rates = {
    input: 1n,
    cache_read: 1n,
    cache_write_5m: 1n,
    cache_write_1h: 1n,
    output: 3n,
  };
  const [drawn, said] = [
    { bucket: "output_image", max: 8_192 },
    { bucket: "output_audio", max: 8_192 },
  ];
  test.each<[string, Rates, { body: Buffer; choiceCount: number }, object | undefined]>([
    ["no model that writes alone", text, spoken, undefined],
    ["a model that draws, asked or not", { ...text, output_image: 4n }, plain, drawn],
    [
      "no model whose pictures cost what text does",
      { ...text, output_image: 3n },
      plain,
      undefined,
    ],
    ["a model that speaks, where sound is mentioned", { ...text, output_audio: 4n }, spoken, said],
    [
      "at Google as well",
      { ...text, output_audio: 4n },
      body({ c: { responseModalities: ["AUDIO"] } }),
      said,
    ],
    ["a model that speaks, where it is not", { ...text, output_audio: 4n }, plain, undefined],
    ["no model whose sound costs what text does", { ...text, output_audio: 3n }, spoken, undefined],
    [
      "no model whose pictures cost less than its text",
      { ...text, output_audio: 3n, output_image: 2n },
      spoken,
      undefined,
    ],
    ["the dearer of both", { ...text, output_audio: 5n, output_image: 4n }, spoken, said],
    [
      "the dearer of both, also where it is the picture",
      { ...text, output_audio: 4n, output_image: 5n },
      spoken,
      drawn,
    ],
    [
      "the picture of two that cost the same",
      { ...text, output_audio: 4n, output_image: 4n },
      spoken,
      drawn,
    ],
  ])("%s", (_, rates, call, expected) => {
    expect(findMediaOutput(rates, call)).toEqual(expected);
  });
});

test("a reply without usage is charged by its bytes", () => {
  expect(estimateUsage(7, "123456789")).toEqual({
    usage: { ...noUsage, input: 7, output: 3 },
    hiddenOutput: 0,
    isCorrected: false,
  });
});

test.each([
  ["an event is a token", 10, 40, 10],
  ["up to twelve bytes each", 10, 120, 10],
  ["whole phrases count by their bytes", 10, 121, 31],
  ["bytes without an event are none", 0, 500, 0],
  ["a single phrase counts too", 1, 13, 4],
])("visible output: %s", (_, events, bytes, tokens) => {
  expect(estimateOutputTokens(events, bytes)).toBe(tokens);
});

describe("the table of holds in docs/usage.md", () => {
  const page = readFileSync(join(repositoryDir, "docs/usage.md"), "utf8");
  test.each<[string, number]>([
    ["A picture by value", tokensPerImage],
    ["A picture or document by address", unseenTokens.address],
    ["A file by id", unseenTokens.file],
    ["A tool that the provider runs: search, code, pictures", unseenTokens.hosted_tool],
    ["A server of tools (MCP)", unseenTokens.mcp],
    ["Another one, a stored prompt, a container or a cache by id", unseenTokens.stored_state],
    ["A member that looks like an id and that the gateway does not know", unseenTokens.unknown_id],
  ])("says what is held for %s", (what, tokens) => {
    expect(page).toContain(`\n| ${what} | ${tokens.toLocaleString("en")} tokens |\n`);
  });
});
