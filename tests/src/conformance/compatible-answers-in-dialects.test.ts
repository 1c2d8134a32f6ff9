// What providers of compatible APIs answer, whole and streamed, to the clients of all four formats:
// a client of the same format receives what was sent, and every other one reads the same text,
// reasoning, calls, sources, pictures, ending and count from its own.

import { startAnswer } from "@tollgate/trust/usage/answered-call.ts";
import { describe, expect, test } from "vitest";
import { type CompatibleAnswer, ends } from "./compatible/answer-shapes.ts";
import { geminiAnswers } from "./compatible/gemini-answers.ts";
import { hostAnswers } from "./compatible/host-answers.ts";
import { makerAnswers } from "./compatible/maker-answers.ts";
import { messagesAnswers } from "./compatible/messages-answers.ts";
import { responsesAnswers } from "./compatible/responses-answers.ts";
import { serverAnswers } from "./compatible/server-answers.ts";
import { type ConversationEndpoint, conversationEndpoints } from "./conversation-scenario.ts";
import { callOf, entryOf, planOver } from "./in-process-relay.ts";
import { dataOf, grammarReaders } from "./stream-grammar.ts";
import { wholeAnswerReaders } from "./whole-answers.ts";

const doneEvent = "data: [DONE]\n\n";
const inputOf = (input: string): unknown => (input === "" ? {} : JSON.parse(input));

function expectHeard(
  client: ConversationEndpoint,
  heard: { text: string; thought: string; calls: { name: string; input: string }[] },
  received: string,
  one: CompatibleAnswer,
): void {
  const { text = "", thought = "", calls = [], sources = [], pictures = [], end = "stop" } = one;
  expect({
    text: heard.text,
    thought: heard.thought.replaceAll("\n\n", ""),
    calls: heard.calls.map(({ name, input }) => ({ name, input: inputOf(input) })),
  }).toEqual({ text, thought, calls });
  expect(received).toMatch(ends[client][end] as RegExp);
  // Messages has no place for either.
  if (client !== "Messages")
    for (const told of [...sources, ...pictures]) expect(received).toContain(told);
}

describe.each(
  [
    ...makerAnswers,
    ...hostAnswers,
    ...serverAnswers,
    ...messagesAnswers,
    ...responsesAnswers,
    ...geminiAnswers,
  ].map((one): [string, CompatibleAnswer] => [`${one.name} (${one.speaks})`, one]),
)("%s", (_, one) => {
  const { speaks, reply, events, output } = one;
  test.each(conversationEndpoints)("reaches clients of %s", async (client) => {
    if (reply) {
      const whole = startAnswer(
        planOver({ ...callOf(client), isStream: false }, entryOf(speaks)),
        "application/json",
      );
      await whole.send(JSON.stringify(reply));
      whole.end();
      const result = await whole.result();
      expect([result?.outcome, result?.usage.output]).toEqual(["success", output]);
      const received = JSON.parse(whole.response.received);
      if (client === speaks) expect(received).toEqual(reply);
      else expectHeard(client, wholeAnswerReaders[client](received), whole.response.received, one);
    }
    if (!events) return;
    // Behind the last event of Messages and Responses nothing is passed on.
    const done = speaks === "Chat Completions" ? [doneEvent] : [];
    const sent = events.map((data) =>
      typeof data === "string" ? `${data}\n\n` : `data: ${JSON.stringify(data)}\n\n`,
    );
    const stream = startAnswer(planOver(callOf(client), entryOf(speaks)), "text/event-stream");
    await stream.send(...sent, ...done);
    stream.end();
    const result = await stream.result();
    expect([result?.outcome, result?.usage.output]).toEqual(["success", output]);
    const { received } = stream.response;
    if (client === speaks)
      expect(dataOf(received)).toEqual(
        dataOf([...sent.filter((one) => one !== doneEvent), ...done].join("")),
      );
    else expectHeard(client, grammarReaders[client](received), received, one);
  });
});
