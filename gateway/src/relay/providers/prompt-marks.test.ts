// Marks for the prompt cache: where they are set, that nothing else of a request changes, and that
// a conversation costs less with them.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { noUsage, type Rates } from "../../money/prices/price.ts";
import { type JsonRecord, record, records } from "../wire/json-parts.ts";
import { composeMarksNote, computeMarksSaved, paysBack, setPromptMarks } from "./prompt-marks.ts";

const rates: Rates = {
  input: 100n,
  cache_read: 10n,
  cache_write_5m: 125n,
  cache_write_1h: 200n,
  output: 500n,
};
const model = "claude-sonnet-4-5";
const mark = { type: "ephemeral" };
const long = (name: string): string => `${name} `.repeat(1_200);

const marked = (
  body: object | string,
  endpoint: "claude_messages" | "bedrock_converse" = "claude_messages",
) => {
  const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  const found = setPromptMarks(bytes, endpoint, model, rates);
  return (
    found && {
      marks: found.marks,
      text: found.body.toString(),
      body: JSON.parse(found.body.toString()) as JsonRecord,
    }
  );
};

const tools = [{ name: "Read", description: long("reads"), input_schema: { type: "object" } }];
const conversation = [
  { role: "user", content: "What is in the file?" },
  {
    role: "assistant",
    content: [{ type: "tool_use", id: "t1", name: "Read", input: { path: "a" } }],
  },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "text" }] },
];

describe("of the Messages API", () => {
  test("tools, system, the last turn and the one before are marked, and a text becomes a block", () => {
    const body = { model, system: long("helpful"), tools, messages: conversation };
    const found = marked(body);
    expect(found?.marks).toBe(4);
    expect(found?.body).toEqual({
      model,
      system: [{ type: "text", text: body.system, cache_control: mark }],
      tools: [{ ...tools[0], cache_control: mark }],
      messages: [
        {
          role: "user",
          content: [{ type: "text", text: "What is in the file?", cache_control: mark }],
        },
        conversation[1],
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "t1", content: "text", cache_control: mark },
          ],
        },
      ],
    });
  });

  test("no mark stands on thinking, on an empty text or on a tool that is loaded later", () => {
    const deferred = { name: "Later", defer_loading: true, input_schema: {} };
    const last = [
      { type: "text", text: "Go on" },
      { type: "text", text: " " },
      { type: "thinking", thinking: "…", signature: "s" },
    ];
    const found = marked({
      tools: [...tools, deferred],
      system: [],
      messages: [{ role: "user", content: last }],
    });
    expect(found?.marks).toBe(2);
    expect(found?.body.tools).toEqual([{ ...tools[0], cache_control: mark }, deferred]);
    expect(records(found?.body.messages)[0]?.content).toEqual([
      { ...last[0], cache_control: mark },
      last[1],
      last[2],
    ]);
    expect(
      marked({ tools: [deferred], messages: [{ role: "user", content: "" }] }),
    ).toBeUndefined();
  });

  test("a client's own marks, a single question, a forced tool, a short prompt and other models get none", () => {
    const question = [{ role: "user", content: long("why") }];
    expect(marked({ messages: question })).toBeUndefined();
    expect(marked({ tools: [], messages: question })).toBeUndefined();
    for (const type of ["tool", "any"]) {
      expect(
        marked({ tools, tool_choice: { type, name: "Read" }, messages: question }),
      ).toBeUndefined();
    }
    expect(marked({ tools, tool_choice: { type: "auto" }, messages: question })?.marks).toBe(2);
    expect(marked({ cache_control: mark, tools, messages: conversation })).toBeUndefined();
    expect(marked({ messages: conversation })).toBeUndefined();
    const bytes = Buffer.from(JSON.stringify({ tools, messages: conversation }));
    expect(setPromptMarks(bytes, "claude_messages", "deepseek-v4", rates)).toBeUndefined();
    expect(setPromptMarks(bytes, "chat_completions", model, rates)).toBeUndefined();
    // 1,200 words are enough for one model and too few for the other.
    expect(setPromptMarks(bytes, "claude_messages", model, rates)?.marks).toBe(3);
    expect(setPromptMarks(bytes, "claude_messages", "claude-opus-4-6", rates)).toBeUndefined();
  });

  test("where the price of a read does not pay for the write before it, there are none", () => {
    expect(paysBack(rates)).toBe(true);
    expect(paysBack({ ...rates, cache_read: 100n })).toBe(false);
    expect(paysBack({ ...rates, cache_write_5m: 190n })).toBe(false);
  });

  const block = fc.oneof(
    fc.record({ type: fc.constant("text"), text: fc.string({ maxLength: 20 }) }),
    fc.record({
      type: fc.constant("tool_result"),
      tool_use_id: fc.string(),
      content: fc.jsonValue(),
    }),
    fc.record({ type: fc.constant("thinking"), thinking: fc.string(), signature: fc.string() }),
    fc.record({ type: fc.constant("image"), source: fc.dictionary(fc.string(), fc.jsonValue()) }),
  );
  const message = fc.record({
    role: fc.constantFrom("user", "assistant"),
    content: fc.oneof(fc.string({ maxLength: 20 }), fc.array(block, { maxLength: 4 })),
  });
  const request = fc.record({
    model: fc.constant(model),
    tools: fc.array(
      fc.record({ name: fc.string(), description: fc.string(), input_schema: fc.object() }),
    ),
    system: fc.oneof(
      fc.constant(long("rule")),
      fc.array(fc.record({ type: fc.constant("text"), text: fc.string() })),
    ),
    messages: fc.array(message, { minLength: 1, maxLength: 8 }),
    temperature: fc.double({ noNaN: true }),
  });

  /** What the model reads: a text is a block of text, and marks are no part of it. */
  const readBy = (value: unknown, isContent = false): unknown => {
    if (typeof value === "string" && isContent) return [{ type: "text", text: value }];
    if (Array.isArray(value)) return value.map((one) => readBy(one));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([name]) => name !== "cache_control")
        .map(([name, one]) => [
          name,
          name === "content" || name === "system" ? readBy(one, true) : one,
        ]),
    );
  };
  const readRequest = ({ messages, tools: listed, ...body }: JsonRecord): unknown => [
    readBy(body),
    records(listed).map((one) => readBy(one)),
    records(messages).map((one) => {
      const { content, ...rest } = readBy(one) as JsonRecord;
      return { ...rest, content: records(content).map(({ cache_control: _, ...kept }) => kept) };
    }),
  ];

  test("whatever the request, what the model reads stays, to the digit, and there are at most four marks", () => {
    fc.assert(
      fc.property(request, fc.constantFrom(undefined, 1, 4), (body, indent) => {
        // A number that JavaScript would round.
        const text = JSON.stringify({ ...body, seed: 0 }, null, indent).replace(
          /"seed": ?0/,
          '"seed":12345678901234567890',
        );
        const found = marked(text);
        if (!found) return;
        expect(found.text).toContain('"seed":12345678901234567890');
        expect(found.text.split('"cache_control"').length - 1).toBe(found.marks);
        expect(found.marks).toBeLessThanOrEqual(4);
        expect(readRequest(found.body)).toEqual(readRequest(JSON.parse(text) as JsonRecord));
      }),
      { numRuns: 500 },
    );
  });

  /**
   * What Anthropic's cache does with a request: it reads the longest beginning at a mark that it
   * knows, and writes up to the last mark.
   */
  function playCache(
    known: Set<string>,
    body: JsonRecord,
  ): { read: number; written: number; plain: number } {
    const places: { text: string; isMarked: boolean }[] = [];
    const add = (part: unknown, isMarked: boolean): void => {
      places.push({ text: `${places.at(-1)?.text ?? ""}${JSON.stringify(part)}`, isMarked });
    };
    for (const one of [...records(body.tools), ...records(body.system)]) {
      const { cache_control, ...rest } = one;
      add(rest, cache_control !== undefined);
    }
    for (const { role, content } of records(body.messages)) {
      const blocks =
        typeof content === "string" ? [{ type: "text", text: content }] : records(content);
      for (const { cache_control, ...rest } of blocks as JsonRecord[])
        add({ role, ...rest }, cache_control !== undefined);
    }
    const ends = places.filter(({ isMarked }) => isMarked).map(({ text }) => text);
    const read = Math.max(0, ...ends.filter((text) => known.has(text)).map(({ length }) => length));
    const written = Math.max(0, ...ends.map(({ length }) => length)) - read;
    for (const text of ends) known.add(text);
    const whole = places.at(-1)?.text.length ?? 0;
    return { read, written, plain: whole - read - written };
  }

  test("from the second turn on, a conversation costs less with the marks than without", () => {
    const turn = fc.record({
      answer: fc.string({ minLength: 1, maxLength: 400 }),
      next: fc.string({ minLength: 1 }),
    });
    fc.assert(
      fc.property(
        fc.array(turn, { minLength: 1, maxLength: 6 }),
        fc.boolean(),
        (turns, isAgent) => {
          const known = new Set<string>();
          const messages: JsonRecord[] = [{ role: "user", content: long("question") }];
          let cost = 0;
          let costWithout = 0;
          for (const [index, next] of [undefined, ...turns].entries()) {
            if (next)
              messages.push(
                { role: "assistant", content: next.answer },
                { role: "user", content: `${next.next}.` },
              );
            const body = { system: long("helpful"), ...(isAgent && { tools }), messages };
            const { read, written, plain } = playCache(known, marked(body)?.body ?? record(body));
            cost += read * 0.1 + written * 1.25 + plain;
            costWithout += read + written + plain;
            // What was written one turn before is read.
            if (index > (isAgent ? 0 : 1)) expect(read).toBeGreaterThan(0);
          }
          if (isAgent || turns.length > 1) expect(cost).toBeLessThan(costWithout);
        },
      ),
      { numRuns: 100 },
    );
  });
});

test("Converse has a cache point behind the tools, the system and the turns, and none for other models", () => {
  const point = { cachePoint: { type: "default" } };
  const system = [{ text: long("helpful") }];
  const listed = [
    { toolSpec: { name: "Read", description: long("reads"), inputSchema: { json: {} } } },
  ];
  const messages = [
    { role: "user", content: [{ text: "one" }] },
    { role: "assistant", content: [{ text: "two" }] },
    { role: "user", content: [{ text: "three" }] },
  ];
  const found = marked(
    { system, toolConfig: { tools: listed, toolChoice: { auto: {} } }, messages },
    "bedrock_converse",
  );
  expect(found).toMatchObject({
    marks: 4,
    body: {
      system: [...system, point],
      toolConfig: { tools: [...listed, point] },
      messages: [
        { content: [{ text: "one" }, point] },
        messages[1],
        { content: [{ text: "three" }, point] },
      ],
    },
  });
  const forced = {
    system,
    toolConfig: { tools: listed, toolChoice: { any: {} } },
    messages: messages.slice(0, 1),
  };
  expect(marked(forced, "bedrock_converse")).toBeUndefined();
});

test("the row says what the cache has saved, what its writing cost, or that it was not used", () => {
  const price = {
    rates: {
      input: "3000000",
      cache_read: "300000",
      cache_write_5m: "3750000",
      output: "15000000",
    },
    ...{ group_ratio: 1_000_000, source: "", source_date: "", verified: true },
  };
  const note = (more: object) => {
    const usage = { ...noUsage, ...more };
    return composeMarksNote(3, usage, computeMarksSaved(usage, price));
  };
  const set = "the gateway set 3 marks for the prompt cache";
  expect(note({ cache_read: 100_000, cache_write_5m: 10_000 })).toBe(`${set}, which saved $0.2625`);
  expect(note({ cache_write_5m: 100_000 })).toBe(`${set}, whose writing cost $0.075`);
  expect(note({})).toBe(`${set}, which the provider did not use`);
});
