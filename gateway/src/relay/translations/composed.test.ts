import { expect, test } from "vitest";
import { chatCompletions } from "../shapes/chat-completions.ts";
import type { Call } from "../shapes/shape.ts";
import { composed } from "./composed.ts";
import type { Translation } from "./translation.ts";

/** Writes its name on everything that passes. */
const marking = (name: string, told: string[] = []): Translation => ({
  to: { ...chatCompletions, terminator: name },
  body: ({ marks, ...json }, model) => ({ ...json, marks: [...(marks as string[]), `${name} ${model}`] }),
  answers: (call) => ({
    whole: ({ marks, ...json }) => ({ ...json, marks: [...(marks as string[]), name] }),
    event: (event) => {
      told.push(`${name} ${event.trim()} ${call.wantsUsage}`);
      return `${event.trim()}1\n\n${event.trim()}2\n\n`;
    },
    end: () => `${name} ends\n\n`,
  }),
  lost: () => [],
});
const json = { model: "m", messages: [{ role: "user", content: "hi" }] };
const call: Call = { ...chatCompletions.read(json, false), shape: chatCompletions, headers: [], body: Buffer.from("") };

test("bodies pass the first and then the second, answers the other way", () => {
  const both = composed(marking("a"), marking("b"));
  expect(both.to.terminator).toBe("b");
  expect(both.body({ marks: [] }, "m")).toEqual({ marks: ["a m", "b m"] });
  expect(both.answers(call).whole({ marks: [] })).toEqual({ marks: ["b", "a"] });
});

test("events pass one by one, also those with which the second ends", () => {
  const told: string[] = [];
  const answers = composed(marking("a", told), marking("b", told)).answers(call);
  expect(answers.event("x\n\n")).toBe("x11\n\nx12\n\nx21\n\nx22\n\n");
  expect(told).toEqual(["b x true", "a x1 false", "a x2 false"]);
  expect(answers.end()).toBe("b ends1\n\nb ends2\n\na ends\n\n");
});

test("what both lose is named as the caller wrote it, once, and what the first made up is not", () => {
  const losing = (names: string[], writtenAs: Translation["writtenAs"] = {}): Translation => ({
    ...marking("a"),
    lost: () => names,
    writtenAs,
  });
  const first = losing(["z", "a.b"], { messages: "input", "messages.content.image": "input.picture", made: null });
  const second = losing(["messages.name", "messages.content.image.detail", "made.up", "alike", "z"]);
  expect(composed(first, second).lost({ marks: [] }, "m")).toEqual([
    "a.b",
    "alike",
    "input.name",
    "input.picture.detail",
    "z",
  ]);
});

test("an event that means nothing to the second means nothing at all", () => {
  const silent: Translation = {
    ...marking("b"),
    answers: () => ({ whole: () => ({}), event: () => "", end: () => "" }),
  };
  expect(composed(marking("a"), silent).answers(call).event("x\n\n")).toBe("");
});
