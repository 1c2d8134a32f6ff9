// What holds for every provider with a protocol of its own, whatever is said.

import { callOf, chunksIn, playStream } from "@tollgate/tests/support/provider-adapter.ts";
import { translatedBody } from "@tollgate/tests/support/translate-request.ts";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chatToAiProxy } from "./chat-to-ai-proxy.ts";
import { chatToBaidu } from "./chat-to-baidu.ts";
import { chatToCoze } from "./chat-to-coze.ts";
import { chatToDeepl } from "./chat-to-deepl.ts";
import { chatToReplicate } from "./chat-to-replicate.ts";
import { chatToTencent } from "./chat-to-tencent.ts";
import type { Translation } from "./translation.ts";

const words = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 });
const turn = fc.record({
  role: fc.constantFrom("system", "developer", "user", "assistant"),
  content: fc.oneof(
    words,
    words.map((text) => [{ type: "text", text }]),
  ),
});
const conversation = fc
  .tuple(fc.array(turn, { maxLength: 6 }), words)
  .map(([turns, asked]) => [...turns, { role: "user", content: asked }]);
const textOf = ({ content }: { content: string | { text: string }[] }): string =>
  typeof content === "string" ? content : content.map(({ text }) => text).join("");

/** Every text anywhere in a body. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

const whole: Readonly<Record<string, Translation>> = {
  Baidu: chatToBaidu,
  Tencent: chatToTencent,
  Coze: chatToCoze,
  Replicate: chatToReplicate,
};
const lastOnly: Readonly<Record<string, Translation>> = {
  DeepL: chatToDeepl,
  "AI Proxy": chatToAiProxy,
};

test.each(Object.entries(whole))("%s gets everything that was said", (_name, translation) => {
  fc.assert(
    fc.property(conversation, (messages) => {
      const body = textsIn(translatedBody(translation, { messages }, "m")).join("\n");
      for (const message of messages) expect(body).toContain(textOf(message));
    }),
  );
});

test.each(Object.entries(lastOnly))("%s gets the last question", (_name, translation) => {
  fc.assert(
    fc.property(conversation, (messages) => {
      expect(textsIn(translatedBody(translation, { messages }, "deepl-de"))).toContain(
        messages.at(-1)?.content,
      );
    }),
  );
});

test.each([
  ["Baidu", chatToBaidu, "messages", "role"],
  ["Tencent", chatToTencent, "Messages", "Role"],
] as const)("for %s roles take turns after the system prompt", (_name, translation, list, role) => {
  fc.assert(
    fc.property(conversation, (messages) => {
      const turns = translatedBody(translation, { messages }, "m")[list] as Record<
        string,
        string
      >[];
      const roles = turns
        .map((one) => one[role])
        .filter((one, index) => index > 0 || one !== "system");
      roles.forEach((one, index) => {
        expect(one === roles[index + 1]).toBe(false);
      });
      expect(roles).not.toContain("system");
    }),
  );
});

const sse = (data: object, name = ""): string =>
  `${name === "" ? "" : `event:${name}\n`}data:${JSON.stringify(data)}\n\n`;
const streams: Readonly<Record<string, readonly [Translation, (pieces: string[]) => string]>> = {
  Baidu: [
    chatToBaidu,
    (pieces) =>
      [...pieces, ""].map((result, at) => sse({ result, is_end: at === pieces.length })).join(""),
  ],
  Tencent: [
    chatToTencent,
    (pieces) =>
      [...pieces, ""]
        .map((Content, at) =>
          sse({
            Choices: [{ Delta: { Content }, FinishReason: at === pieces.length ? "stop" : "" }],
          }),
        )
        .join(""),
  ],
  Coze: [
    chatToCoze,
    (pieces) =>
      pieces
        .map((content) => sse({ id: "1", type: "answer", content }, "conversation.message.delta"))
        .join("") + sse({ id: "2" }, "conversation.chat.completed"),
  ],
};

describe.each(Object.entries(streams))("a stream of %s", (_name, [translation, streamOf]) => {
  test("reaches the client unchanged, in whatever pieces it arrives", () => {
    const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 5 });
    fc.assert(
      fc.property(fc.array(words, { maxLength: 6 }), cuts, (pieces, at) => {
        const bytes = Buffer.from(streamOf(pieces));
        const ends = [
          ...at.map((part) => Math.floor(part * bytes.length)).sort((a, b) => a - b),
          bytes.length,
        ];
        const { facts, output } = playStream(
          translation,
          ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end)),
          callOf(),
        );
        const chunks = chunksIn(output);
        expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("")).toBe(
          pieces.join(""),
        );
        expect(facts.reduce((sum, { textBytes }) => sum + textBytes, 0)).toBe(
          pieces.join("").length,
        );
        expect(chunks.filter(({ choices }) => choices[0]?.finish_reason === "stop")).toHaveLength(
          1,
        );
        expect(facts.at(-1)?.isLast).toBe(true);
      }),
    );
  });
});
