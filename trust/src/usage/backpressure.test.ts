// A provider is read only while the client keeps up and nothing waits for storage, in whichever
// order both end.
import type { HoldReach } from "@tollgate/gateway/money/holds/hold-reach.ts";
import { callOf, planOver } from "@tollgate/tests/conformance/in-process-relay.ts";
import { expect, test } from "vitest";
import { startAnswer } from "./answered-call.ts";

const plan = planOver(callOf("Chat Completions"), "chat_completions");
const content = `data: ${JSON.stringify({ choices: [{ delta: { content: "word" }, finish_reason: null }] })}\n\n`;

/** A client that reads nothing, of a stream whose first event passes its hold. */
async function behindWhileTheHoldGrows() {
  let grown: () => void = () => undefined;
  const growth = new Promise<void>((resolve) => {
    grown = resolve;
  });
  const reach: HoldReach = {
    tokens: 0,
    growFrom: 0,
    async grow() {
      await growth;
      reach.tokens = 1_000;
    },
  };
  const answer = startAnswer(plan, "text/event-stream", { reach });
  answer.response.isBehind = true;
  await answer.send(content);
  expect(answer.connection.isRead).toBe(false);
  return {
    ...answer,
    async growHold(): Promise<void> {
      grown();
      await new Promise(setImmediate);
    },
  };
}

test("a hold that has grown resumes no provider while the client is behind", {
  tags: ["F-110"],
}, async () => {
  const { connection, response, growHold } = await behindWhileTheHoldGrows();
  await growHold();
  expect(connection.isRead).toBe(false);
  response.catchUp();
  expect(connection.isRead).toBe(true);
});

test("a client that has caught up resumes no provider while the hold grows", {
  tags: ["F-110"],
}, async () => {
  const { connection, response, growHold } = await behindWhileTheHoldGrows();
  response.catchUp();
  expect(connection.isRead).toBe(false);
  await growHold();
  expect(connection.isRead).toBe(true);
});
