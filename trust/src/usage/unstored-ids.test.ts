// An answer whose ids could not be stored is withheld and charged: the provider has done the work.
import type { UpstreamPlan } from "@tollgate/gateway/relay/routing/translation-registry.ts";
import { callOf, planOver } from "@tollgate/tests/conformance/in-process-relay.ts";
import { expect, test } from "vitest";
import { startAnswer } from "./answered-call.ts";

const id = "resp_of_the_provider";
const usage = { input_tokens: 40, output_tokens: 12, total_tokens: 52 };
const output = [
  { type: "message", role: "assistant", content: [{ type: "output_text", text: "hi" }] },
];
const reply = { id, object: "response", status: "completed", output, usage };
const event = (type: string, data: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
const created = event("response.created", { response: { id, output: [] } });
const delta = event("response.output_text.delta", { delta: "hello there" });

/** Storage fails for answers that name an id. */
function planWithoutStorage(isStream: boolean): UpstreamPlan {
  const ids = (text: string) => (text.includes(id) ? [{ kind: "response" as const, id }] : []);
  return {
    ...planOver({ ...callOf("Responses"), isStream }, "response_api"),
    keeper: {
      inEvent: ids,
      inReply: (json) => ids(JSON.stringify(json)),
      keep: () => Promise.reject(new Error("the disk is full")),
      renewedSessions: () => 0,
      startedContainers: () => 0,
      countContext: () => Promise.resolve(),
    },
  };
}

test("a whole answer is refused, and the provider's count is charged once", {
  tags: ["S2-12"],
}, async () => {
  const answer = startAnswer(planWithoutStorage(false), "application/json");
  await answer.send(JSON.stringify(reply));
  answer.end();
  expect(await answer.result()).toMatchObject({
    outcome: "cut",
    usage: { input: 40, output: 12 },
    note: "the ids in the answer could not be stored",
  });
  expect(answer.response.status).toBe(503);
  expect(answer.response.received).toContain("ids_not_stored");
  expect(answer.response.received).not.toContain(id);
});

test("a stream is refused before its first content and costs nothing", {
  tags: ["S2-12"],
}, async () => {
  const answer = startAnswer(planWithoutStorage(true), "text/event-stream");
  await answer.send(created, delta);
  expect(await answer.result()).toMatchObject({ outcome: "cut", usage: { input: 0, output: 0 } });
  expect([answer.response.status, answer.isAborted()]).toEqual([503, true]);
  expect(answer.response.received).not.toContain(id);
});

test("a stream that names an id later ends with an error and costs what was delivered", {
  tags: ["S2-12"],
}, async () => {
  const plan = planWithoutStorage(true);
  const answer = startAnswer(plan, "text/event-stream");
  await answer.send(delta, created, delta);
  expect(await answer.result()).toMatchObject({
    outcome: "cut",
    usage: { input: plan.call.promptEstimate, output: 1 },
  });
  expect(answer.response.status).toBe(200);
  expect(answer.response.received).toContain("ids_not_stored");
  expect(answer.response.received).not.toContain(id);
});
