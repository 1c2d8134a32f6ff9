// After a client has left, the final usage of a finished output is still read, within bounds.

import { callOf, planOver } from "@tollgate/tests/conformance/in-process-relay.ts";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startAnswer } from "./answered-call.ts";

const plan = planOver(callOf("Chat Completions"), "chat_completions");
const sse = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;
const content = sse({ choices: [{ delta: { content: "word" }, finish_reason: null }] });
const finish = sse({ choices: [{ delta: {}, finish_reason: "stop" }] });
const usage = sse({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 20_040 } });
const comment = `: ${"x".repeat(8 * 1024)}\n\n`;

/** A client has left after these events. */
const leftAfter = (...events: string[]) => leftBy(1, ...events);

async function leftBy(userId: number, ...events: string[]) {
  const answer = startAnswer(plan, "text/event-stream", { userId });
  await answer.send(...events);
  answer.leave();
  return answer;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("reasoning that is counted after the end of the output is charged", {
  tags: ["S2-15"],
}, async () => {
  const answer = await leftAfter(content, finish);
  await answer.send(comment, usage);
  expect(await answer.result()).toMatchObject({
    outcome: "client_left",
    usage: { input: 7, output: 20_040 },
  });
  expect(answer.isAborted()).toBe(true);
});

test("before the end of the output, the provider's call ends with the client's", {
  tags: ["S2-15", "F-50"],
}, async () => {
  const answer = await leftAfter(content);
  expect(answer.isAborted()).toBe(true);
  expect(await answer.result()).toMatchObject({ outcome: "client_left", usage: { output: 1 } });
});

test("the provider is read on for at most three seconds", { tags: ["S2-15", "F-51"] }, async () => {
  const answer = await leftAfter(content, finish);
  vi.advanceTimersByTime(2_999);
  expect(answer.isAborted()).toBe(false);
  vi.advanceTimersByTime(1);
  expect(answer.isAborted()).toBe(true);
  expect(await answer.result()).toMatchObject({ outcome: "client_left", usage: { output: 1 } });
});

test("at most 64 KiB are read on", { tags: ["S2-15", "F-51"] }, async () => {
  const answer = await leftAfter(content, finish);
  await answer.send(...Array.from({ length: 7 }, () => comment));
  expect(answer.isAborted()).toBe(false);
  await answer.send(comment, comment, usage);
  expect(answer.isAborted()).toBe(true);
  expect(await answer.result()).toMatchObject({ usage: { output: 1 } });
});

test("at most 200 calls are read on at once, of one user 25", {
  tags: ["S2-15", "F-51", "FT-34"],
}, async () => {
  const greedy = await Promise.all(Array.from({ length: 30 }, () => leftBy(1, content, finish)));
  expect(greedy.filter((answer) => answer.isAborted())).toHaveLength(5);
  const others = await Promise.all(
    Array.from({ length: 176 }, (_, n) => leftBy(2 + (n % 10), content, finish)),
  );
  const answers = [...greedy, ...others];
  expect(others.filter((answer) => answer.isAborted())).toHaveLength(1);
  vi.advanceTimersByTime(3_000);
  await Promise.all(answers.map((answer) => answer.result()));
  const next = await leftAfter(content, finish);
  expect(next.isAborted()).toBe(false);
  next.end();
  expect(await next.result()).toMatchObject({ outcome: "client_left" });
});
