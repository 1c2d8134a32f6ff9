import { afterEach, expect, test, vi } from "vitest";
import { sampleText } from "./text-sample.ts";
import { createTokenCounting, type TokenCounting } from "./token-counting.ts";

// A thread takes its time to start on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

let counting: TokenCounting | undefined;
afterEach(async () => await counting?.close());

const body = Buffer.from(
  JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content: "hello world" }] }),
);
const minute = 60_000;

test("a prompt and an answer are counted", async () => {
  counting = createTokenCounting(() => true, { deadlineMs: minute, idleMs: minute });
  const counted = await counting.count("gpt-4o", body, sampleText("hello there, world"));
  expect(counted).toEqual({ encoding: "o200k_base", prompt: 4 + 2, output: 4, isSampled: false });
  expect(body.length).toBeGreaterThan(0);
});

test("a body that holds no prompt leaves it uncounted", async () => {
  counting = createTokenCounting(() => true, { deadlineMs: minute, idleMs: minute });
  expect(await counting.count("gpt-4", Buffer.from("{nonsense"))).toMatchObject({
    prompt: undefined,
    output: undefined,
  });
});

test("a request that takes too long is not counted, and the next one is", async () => {
  counting = createTokenCounting(() => true, { deadlineMs: 0, idleMs: 0 });
  expect(await counting.count("gpt-4o", body)).toBeUndefined();
  await counting.close();
  counting = createTokenCounting(() => true, { deadlineMs: minute, idleMs: 0 });
  expect(await counting.count("gpt-4o", body)).toMatchObject({ prompt: 6 });
  expect(await counting.count("gpt-4o", body)).toMatchObject({ prompt: 6 });
});

test("requests beyond the bounds of number and size are not queued", async () => {
  counting = createTokenCounting(() => true, { deadlineMs: minute, idleMs: minute });
  const { count } = counting;
  const asked = Array.from({ length: 300 }, () => count("gpt-4o", body));
  const answers = await Promise.all(asked);
  expect(answers.filter((answer) => answer === undefined)).toHaveLength(300 - 256);
  const large = Buffer.from(JSON.stringify({ input: "x ".repeat(5 * 1024 * 1024) }));
  expect(await count("gpt-4o", large, sampleText("hello"))).toMatchObject({
    prompt: undefined,
    output: 1,
  });
});

test("closing leaves no request pending", async () => {
  counting = createTokenCounting(() => true, { deadlineMs: minute, idleMs: minute });
  const asked = counting.count("gpt-4o", body);
  await counting.close();
  expect(await asked).toBeUndefined();
});

test("nothing is counted while the operator wants estimates", async () => {
  counting = createTokenCounting(() => false, { deadlineMs: minute, idleMs: minute });
  expect(await counting.count("gpt-4o", body, sampleText("hello"))).toBeUndefined();
});
