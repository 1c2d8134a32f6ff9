// The answers that real providers gave, to the clients of all four formats, whole and streamed: a
// client of the same format receives what the provider sent, and every other one reads the same
// text, reasoning and calls from its own.

import { startAnswer } from "@tollgate/trust/usage/answered-call.ts";
import type { RecordedAnswer } from "@tollgate/trust/usage/recorded-answer.ts";
import { recordedAnswers } from "@tollgate/trust/usage/recorded-answers.ts";
import { eventsOf, replyOf } from "@tollgate/trust/usage/write-recorded-answers.ts";
import { describe, expect, test } from "vitest";
import { conversationEndpoints } from "./conversation-scenario.ts";
import { callOf, entryOf, planOver } from "./in-process-relay.ts";
import { dataOf, grammarReaders } from "./stream-grammar.ts";
import { wholeAnswerReaders } from "./whole-answers.ts";

const words = "a word";
const look = { name: "look", input: { city: "Bern" } };

/**
 * `told` is what a client may read of each kind of content; whatever a tool of the provider did is
 * not for it.
 */
const told: Readonly<Record<string, { text?: string; thought?: string; call?: object }>> = {
  text: { text: words },
  message: { text: words },
  parts: { text: words, thought: words },
  reasoning: { thought: words },
  thinking: { thought: words },
  thought: { thought: words },
  call: { call: look },
  tool: { call: look },
  tool_use: { call: look },
  function_call: { call: look },
  call_of_program: { call: look },
  custom_tool_call: { call: { name: "look", input: { input: words } } },
  "empty call": { call: { name: "look", input: {} } },
  "empty tool": { call: { name: "look", input: {} } },
  "last part of a call": { call: look },
};

/** Reasoning of several items is paragraphs, which a stream does not separate. */
const withoutBreaks = (thought: string): string => thought.replaceAll("\n\n", "");

function contentOf({ speaks, content, stream }: RecordedAnswer, isStream: boolean) {
  const begunBefore = isStream && stream === "started_twice" ? content : [];
  // A whole message of chat completions has one text.
  const kinds =
    speaks === "chat_completions" && !isStream
      ? [...new Set(content)]
      : [...begunBefore, ...content];
  const parts = kinds.map((kind) => told[kind] ?? {});
  return {
    text: parts.map(({ text = "" }) => text).join(""),
    thought: parts.map(({ thought = "" }) => thought).join(""),
    calls: parts.flatMap(({ call }) => (call ? [call] : [])),
  };
}

const asHeard = ({
  text,
  thought,
  calls,
}: {
  text: string;
  thought: string;
  calls: { name: string; input: string }[];
}) => ({
  text,
  thought: withoutBreaks(thought),
  calls: calls.map(({ name, input }) => ({ name, input: JSON.parse(input) as unknown })),
});

const named = recordedAnswers.map((answer): [string, RecordedAnswer] => [
  answer.after.join(", "),
  answer,
]);

describe.each(named)("%s", (_, one) => {
  test.each(conversationEndpoints)("reaches clients of %s", async (client) => {
    const isSame = entryOf(client) === one.speaks;
    const wholePlan = planOver({ ...callOf(client), isStream: false }, one.speaks);
    // Calls whose arguments come in parts are streams alone.
    if (!one.content.includes("begun call")) {
      const whole = startAnswer(wholePlan, "application/json");
      await whole.send(JSON.stringify(replyOf(one)));
      whole.end();
      await whole.result();
      const received = JSON.parse(whole.response.received);
      if (isSame) expect(received).toEqual(replyOf(one));
      else expect(asHeard(wholeAnswerReaders[client](received))).toEqual(contentOf(one, false));
    }

    const events = eventsOf(one).map((data) => JSON.stringify(data));
    const sent = [
      ...events.map((data) => `data: ${data}\n\n`),
      ...(one.speaks === "chat_completions" ? ["data: [DONE]\n\n"] : []),
    ];
    const stream = startAnswer(planOver(callOf(client), one.speaks), "text/event-stream");
    await stream.send(...sent);
    stream.end();
    await stream.result();
    const { received } = stream.response;
    if (isSame) {
      const data = dataOf(received).filter((text) => text !== "[DONE]");
      expect(data.map((text) => JSON.parse(text))).toEqual(events.map((text) => JSON.parse(text)));
    } else expect(asHeard(grammarReaders[client](received))).toEqual(contentOf(one, true));
  });
});
