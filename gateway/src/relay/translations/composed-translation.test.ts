import { droppedFields, translatedBody } from "@tollgate/tests/support/translate-request.ts";
import { expect, test } from "vitest";
import type { RelayCall } from "../formats/api-format.ts";
import { chatCompletions } from "../formats/chat-completions.ts";
import { composeTranslations } from "./composed-translation.ts";
import type { Translation } from "./translation.ts";

/** Writes its name on everything that passes. */
const marking = (name: string, translatedEvents: string[] = []): Translation => ({
  target: { ...chatCompletions.upstream, terminator: name },
  translateRequest: (request, model) => ({
    marks: [...(request.get("marks") as string[]), `${name} ${model}`],
  }),
  createReplyTranslator: (call) => ({
    translateReply: ({ marks, ...json }) => ({ ...json, marks: [...(marks as string[]), name] }),
    translateEvent: (event) => {
      translatedEvents.push(`${name} ${event.trim()} ${call.wantsUsage}`);
      return `${event.trim()}1\n\n${event.trim()}2\n\n`;
    },
    finish: () => `${name} ends\n\n`,
  }),
});
const json = { model: "m", messages: [{ role: "user", content: "hi" }] };
const call: RelayCall = {
  ...chatCompletions.parseRequest(json, false),
  client: chatCompletions,
  upstream: chatCompletions.upstream,
  headers: [],
  body: Buffer.from(""),
};

test("requests pass the first and then the second translation, replies the other way", () => {
  const both = composeTranslations(marking("a"), marking("b"));
  expect(both.target.terminator).toBe("b");
  expect(translatedBody(both, { marks: [] }, "m")).toEqual({ marks: ["a m", "b m"] });
  expect(both.createReplyTranslator(call).translateReply({ marks: [] })).toEqual({
    marks: ["b", "a"],
  });
});

test("events pass one by one, also the final ones of the second", () => {
  const translatedEvents: string[] = [];
  const answers = composeTranslations(
    marking("a", translatedEvents),
    marking("b", translatedEvents),
  ).createReplyTranslator(call);
  expect(answers.translateEvent("x\n\n")).toBe("x11\n\nx12\n\nx21\n\nx22\n\n");
  expect(translatedEvents).toEqual(["b x true", "a x1 false", "a x2 false"]);
  expect(answers.finish()).toBe("b ends1\n\nb ends2\n\na ends\n\n");
});

test("fields dropped by either have the client's name, once, without those that the first made up", () => {
  const losing = (
    names: string[],
    sourceFields: Translation["sourceFields"] = {},
  ): Translation => ({
    ...marking("a"),
    translateRequest(request) {
      for (const name of names) request.addDropped(name);
      return request.readAll();
    },
    sourceFields,
  });
  const first = losing(["z", "a.b"], {
    messages: "input",
    "messages.content.image": "input.picture",
    made: null,
  });
  const second = losing([
    "messages.name",
    "messages.content.image.detail",
    "made.up",
    "alike",
    "z",
  ]);
  expect(droppedFields(composeTranslations(first, second), { marks: [] }, "m")).toEqual([
    "a.b",
    "alike",
    "input.name",
    "input.picture.detail",
    "z",
  ]);
});

test("an event that the second ignores is ignored", () => {
  const silent: Translation = {
    ...marking("b"),
    createReplyTranslator: () => ({
      translateReply: () => ({}),
      translateEvent: () => "",
      finish: () => "",
    }),
  };
  expect(
    composeTranslations(marking("a"), silent).createReplyTranslator(call).translateEvent("x\n\n"),
  ).toBe("");
});
