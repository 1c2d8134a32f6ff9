import { callOf, planOver } from "@tollgate/tests/conformance/in-process-relay.ts";
import { describe, expect, test } from "vitest";

/** `thinking` is as Mistral's reasoning models answer. */
const thinking = { type: "thinking", thinking: [{ type: "text", text: "two and two" }] };
const answer = { type: "text", text: "4" };
const reply = {
  id: "c",
  object: "chat.completion",
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: [thinking, answer] },
      finish_reason: "stop",
    },
  ],
  usage: { prompt_tokens: 10, completion_tokens: 46, total_tokens: 56 },
};
const chunk = (delta: object, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const stream = [
  chunk({ role: "assistant", content: "" }),
  chunk({ content: [thinking] }),
  chunk({ content: [answer] }),
  chunk({}, "stop"),
  "data: [DONE]\n\n",
];

describe.each(["Responses", "Messages", "Gemini"] as const)(
  "an answer in a list of parts, for a client of %s",
  (client) => {
    const translator = () => {
      const { translator: created } = planOver(callOf(client), "chat_completions");
      if (!created) throw new Error("there is nothing to translate");
      return created;
    };
    test("arrives whole, with its reasoning", () => {
      const translated = JSON.stringify(translator().translateReply(reply));
      expect(translated).toContain('"4"');
      expect(translated).toContain("two and two");
    });
    test("arrives as a stream, with its reasoning", () => {
      const one = translator();
      const translated = stream.map((event) => one.translateEvent(event)).join("") + one.finish();
      expect(translated).toContain('"4"');
      expect(translated).toContain("two and two");
    });
  },
);
