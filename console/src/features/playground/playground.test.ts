import fc from "fast-check";
import { expect, test } from "vitest";
import { createStreamReader, readAnswer } from "./chat-answer.ts";
import {
  buildChatBody,
  codeLanguages,
  findSettingsProblem,
  type PlaygroundSettings,
  readCode,
} from "./playground-request.ts";

const settings: PlaygroundSettings = {
  system: "",
  temperature: "",
  maxTokens: "",
  tools: "",
  isStream: true,
};
const hello = { role: "user", text: "Hello", images: [] } as const;

test("only what was set is sent", () => {
  expect(buildChatBody("m", [hello], settings)).toEqual({
    model: "m",
    messages: [{ role: "user", content: "Hello" }],
    stream: true,
  });
  const all = {
    system: "Be brief",
    temperature: "0.5",
    maxTokens: "20",
    tools: '[{"type":"function"}]',
    isStream: false,
  };
  expect(buildChatBody("m", [hello], all)).toEqual({
    model: "m",
    messages: [
      { role: "system", content: "Be brief" },
      { role: "user", content: "Hello" },
    ],
    temperature: 0.5,
    max_tokens: 20,
    tools: [{ type: "function" }],
  });
});

test("images follow the text, and code names them without repeating them", () => {
  const image = { name: "a.png", dataUrl: `data:image/png;base64,${"A".repeat(500)}` };
  const body = buildChatBody("m", [{ ...hello, images: [image] }], settings);
  expect(body.messages).toEqual([
    {
      role: "user",
      content: [
        { type: "text", text: "Hello" },
        { type: "image_url", image_url: { url: image.dataUrl } },
      ],
    },
  ]);
  for (const language of codeLanguages) {
    expect(readCode(language, "https://gate.example", body)).toContain("https://gate.example/v1");
    expect(readCode(language, "https://gate.example", body).length).toBeLessThan(900);
  }
});

test.each([
  [{ temperature: "3" }, "temperature"],
  [{ temperature: "warm" }, "temperature"],
  [{ maxTokens: "0" }, "max_tokens"],
  [{ tools: "{}" }, "tools"],
  [{ tools: "[" }, "tools"],
  [{ tools: "[]", temperature: "2", maxTokens: "5" }, undefined],
] as const)("of the settings %j the problem is %s", (changes, problem) => {
  expect(findSettingsProblem({ ...settings, ...changes })).toBe(problem);
});

const event = (delta: object) => `data: ${JSON.stringify({ choices: [{ delta }] })}\n\n`;
const stream = [
  event({ role: "assistant", content: "" }),
  event({ content: "Grüße, " }),
  ": a heartbeat\n\n",
  event({ content: "Welt" }),
  event({
    tool_calls: [{ index: 0, id: "c1", function: { name: "weather", arguments: '{"city":' } }],
  }),
  event({ tool_calls: [{ index: 0, function: { arguments: '"Bern"}' } }] }),
  "data: [DONE]\n\n",
].join("");

test("a stream reads the same however it is cut", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(stream.length), { maxLength: 8 }), (cuts) => {
      const read = createStreamReader();
      let from = 0;
      for (const to of [...cuts.sort((a, b) => a - b), stream.length]) {
        read(stream.slice(from, to));
        from = to;
      }
      expect(read("")).toEqual({
        text: "Grüße, Welt",
        toolCalls: [{ id: "c1", name: "weather", arguments: '{"city":"Bern"}' }],
        failure: "",
      });
    }),
  );
});

test("whatever a server answers, reading it never throws", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (body) => {
      readAnswer(body);
      createStreamReader()(`data: ${body}\n\n`);
    }),
  );
  expect(readAnswer('{"error":{"message":"no"}}').failure).toBe("no");
});
