// The checks that spare ordinary requests their schema: whatever they accept, the schema accepts.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import type { JsonRecord } from "../wire/json-parts.ts";
import { isOrdinaryMessagesCall, messagesRequest } from "./anthropic-messages.ts";
import { chatRequest, isOrdinaryChat } from "./chat-completions.ts";
import { isOrdinaryResponsesCall, responsesRequest } from "./responses.ts";

const message = { role: "user", content: "x" };
const numbers = [0, -0, 1, 128, 129, 10_000_000, 10_000_001, -1, 1.5, 1e300];
const odd = [null, undefined, true, false, "", "m", "x".repeat(200), "x".repeat(201), [], {}, ...numbers];
const likely: Readonly<Record<string, readonly unknown[]>> = {
  model: ["m"],
  messages: [[message], [message, null], [message, 1], [{ role: 1 }], [[]]],
  input: ["text", [message], [message, "x"], [null], [[]]],
  stream_options: [{ include_usage: true }, { include_usage: null }, { include_usage: 1 }, [{}]],
};
const names = ["stream", "max_tokens", "max_completion_tokens", "max_output_tokens", "n", "background", "extra"];

const member = (name: string) => fc.constantFrom(...(likely[name] ?? []), ...(likely[name] ?? []), ...odd);
/** Nearly every request of a test is ordinary but for a few members. */
const bodies = fc
  .tuple(
    fc.constant({ model: "m", messages: [message], input: "text" }),
    fc.array(
      fc.constantFrom(...Object.keys(likely), ...names).chain((name) => member(name).map((value) => [name, value])),
      {
        maxLength: 3,
      },
    ),
  )
  .map(([base, changes]): JsonRecord => ({ ...base, ...Object.fromEntries(changes) }));

describe("a request that is ordinary", () => {
  test.each([
    ["chat completions", chatRequest, isOrdinaryChat],
    ["messages", messagesRequest, isOrdinaryMessagesCall],
    ["responses", responsesRequest, isOrdinaryResponsesCall],
  ] as const)("is one that the schema accepts: %s", (_, schema, isOrdinary) => {
    const seen = { ordinary: 0, refused: 0 };
    fc.assert(
      fc.property(bodies, (body) => {
        const isAccepted = z.safeParse(schema, body).success;
        expect(isOrdinary(body)).toBe(isAccepted);
        seen[isAccepted ? "ordinary" : "refused"] += 1;
      }),
      { numRuns: 2_000 },
    );
    expect(Math.min(seen.ordinary, seen.refused)).toBeGreaterThan(100);
  });
});
