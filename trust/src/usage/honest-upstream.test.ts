import { unlimited } from "@tollgate/gateway/relay/formats/usage/reported-usage.ts";
import { callOf, planOver } from "@tollgate/tests/conformance/in-process-relay.ts";
import { describe, expect, test } from "vitest";
import { answeredStream } from "./answered-call.ts";
import { checkEndings, checkReplies, checkWholeStreams, honestPairs } from "./honest-upstream.ts";

describe.each(honestPairs)("$name for a client of $client", (pair) => {
  test("is paid exactly, once it has counted", { tags: ["S2-01", "S2-02", "S2-25"] }, async () => {
    await checkWholeStreams(pair, 16);
  });

  test("is paid exactly for a whole reply", { tags: ["S2-02", "S2-25"] }, async () => {
    await checkReplies(pair, 16);
  });

  test.each(["left", "cut"] as const)(
    "is paid for all that it delivered, and for all that it counted, when the stream is %s at any event",
    { tags: ["S2-01", "S2-03", "S2-15", "F-47"] },
    (ending) => checkEndings(pair, ending, 5),
  );
});

const failed = { code: "server_error", message: "no more" };
const data = (json: object): string => `data: ${JSON.stringify(json)}\n\n`;
test.each([
  [
    "Responses",
    "response_api",
    data({ type: "response.output_text.delta", output_index: 0, delta: "a word " }),
    data({
      type: "response.failed",
      response: {
        status: "failed",
        error: failed,
        usage: { input_tokens: 5_000, output_tokens: 900 },
      },
    }),
  ],
  [
    "Chat Completions",
    "chat_completions",
    data({ choices: [{ index: 0, delta: { content: "a word " } }] }),
    data({ error: failed, usage: { prompt_tokens: 5_000, completion_tokens: 900 } }),
  ],
] as const)(
  "a stream of %s that fails costs what its provider had counted",
  { tags: ["S2-01", "F-47"] },
  async (client, speaks, word, failure) => {
    const { result } = await answeredStream(planOver(callOf(client), speaks), [word, failure], {
      arrived: 2,
      ending: "whole",
    });
    expect(result).toMatchObject({
      outcome: "cut",
      usage: { input: 5_000, output: 900 },
      uncounted: { hasPrompt: false },
    });
  },
);

test("the ceiling is far above what these providers count", () => {
  expect(unlimited.promptMax).toBeGreaterThanOrEqual(1_000_000);
});
