import { describe, expect, test } from "vitest";
import { defaultPrice } from "../../money/price-book.ts";
import { chatCompletions } from "../formats/chat-completions.ts";
import { StreamUsage } from "./stream-usage.ts";

const call = {
  ...chatCompletions.parseRequest({ model: "m", messages: [{ role: "user", content: "Hello" }], stream: true }, false),
  client: chatCompletions,
  upstream: chatCompletions.upstream,
  headers: [],
  body: Buffer.from("{}"),
};

const words = "w".repeat(400);
const content = (finish_reason: string | null = null, usage?: object) => ({
  choices: [{ index: 0, delta: { content: words }, finish_reason }],
  ...(usage && { usage }),
});
const finished = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
const counted = (prompt_tokens: number, completion_tokens: number) => ({
  prompt_tokens,
  completion_tokens,
  total_tokens: prompt_tokens + completion_tokens,
});

function usageOf(events: readonly object[], isWhole: boolean) {
  const read = chatCompletions.upstream.createEventReader(call);
  const stream = new StreamUsage(call, { model: "m", price: defaultPrice });
  for (const event of events) stream.observe(read(`data: ${JSON.stringify(event)}\n\n`));
  const { usage, reason } = stream.charged(isWhole);
  return { input: usage.input, output: usage.output, reason, isFinal: stream.isFinal, seen: stream.deliveredTokens() };
}

describe("a count that came before the end of the output", { tags: ["S2-01"] }, () => {
  const first = { choices: [{ index: 0, delta: { role: "assistant", content: "" } }], usage: counted(30, 1) };
  test.each([true, false])("charges what was delivered after it; whole: %j", (isWhole) => {
    const { seen, ...charged } = usageOf([first, content(), content(), finished], isWhole);
    expect(charged).toEqual({ input: 30, output: seen, reason: "ended_early", isFinal: false });
    expect(seen).toBeGreaterThan(150);
  });
  test("at the end of the first of several answers is not the count of all", () => {
    const charged = usageOf([content("stop", counted(30, 2)), content(), content()], false);
    expect(charged).toMatchObject({ input: 30, output: charged.seen, reason: "ended_early", isFinal: false });
  });
  test("is the charge where a later one follows", () => {
    const events = [first, content(), finished, { choices: [], usage: counted(30, 2) }];
    expect(usageOf(events, false)).toMatchObject({ input: 30, output: 2, reason: undefined, isFinal: true });
  });
});

test("a count in the last event with content is the charge, also without a reason to stop", () => {
  const events = [content(null, counted(30, 1)), content(null, counted(30, 2))];
  expect(usageOf(events, true)).toMatchObject({ input: 30, output: 2, reason: undefined });
  expect(usageOf(events, false)).toMatchObject({ input: 30, reason: "ended_early" });
});
