import fc from "fast-check";
import { expect, test } from "vitest";
import { parseExactJson } from "../wire/exact-json.ts";
import { addTexts, buildTexts } from "./request-texts.ts";

const textsIn = (json: unknown) => {
  const { texts, others } = buildTexts(parseExactJson(JSON.stringify(json)));
  return [...texts, ...others];
};

const long = (bytes: string) => Buffer.from(bytes.repeat(400)).toString("base64");

test("the texts of each format are found, those of tools included", () => {
  const chat = {
    model: "m",
    messages: [
      { role: "system", content: "system words" },
      { role: "user", content: [{ type: "text", text: "user words" }] },
      {
        role: "assistant",
        tool_calls: [
          {
            id: "c1",
            type: "function",
            function: { name: "find", arguments: '{"q":"caf\\u00e9"}' },
          },
        ],
      },
      { role: "tool", tool_call_id: "c1", content: "tool result" },
    ],
    tools: [
      {
        type: "function",
        function: { name: "find", parameters: { properties: { projectName: { type: "string" } } } },
      },
    ],
  };
  const found = textsIn(chat);
  for (const words of ["system words", "user words", "tool result", "café", "projectName"])
    expect(found).toContain(words);
  expect(found).not.toContain("user");
  expect(found).not.toContain("m");

  const messages = {
    system: [{ type: "text", text: "system words" }],
    messages: [
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "t",
            content: [{ type: "text", text: "tool result" }],
          },
          {
            type: "document",
            title: "plans.pdf",
            source: { type: "text", media_type: "text/plain", data: "plain document" },
          },
        ],
      },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "t", name: "n", input: { id: "argument words" } }],
      },
    ],
  };
  for (const words of [
    "system words",
    "tool result",
    "plain document",
    "plans.pdf",
    "argument words",
  ])
    expect(textsIn(messages)).toContain(words);

  const responses = {
    instructions: "be brief",
    input: [{ type: "function_call_output", call_id: "c", output: "tool result" }],
  };
  for (const words of ["be brief", "tool result"]) expect(textsIn(responses)).toContain(words);
  expect(textsIn({ input: "as one text" })).toContain("as one text");

  const gemini = {
    systemInstruction: { parts: [{ text: "system words" }] },
    contents: [
      {
        role: "user",
        parts: [{ functionResponse: { name: "f", response: { result: "tool result" } } }],
      },
    ],
  };
  for (const words of ["system words", "tool result"]) expect(textsIn(gemini)).toContain(words);
});

test("pictures are no text, and a text in base64 is one", () => {
  const image = {
    type: "image",
    source: { type: "base64", media_type: "image/png", data: long("pixels") },
  };
  const url = { type: "image_url", image_url: { url: `data:image/png;base64,${long("pixels")}` } };
  expect(textsIn({ messages: [{ role: "user", content: [image, url] }] })).toEqual([]);
  const document = { inlineData: { mimeType: "text/plain", data: long("plans ") } };
  expect(textsIn({ contents: [{ parts: [document] }] })[0]).toContain("plans plans");
  const file = {
    type: "input_file",
    filename: "a.txt",
    file_data: "data:text/plain;base64,cGxhbnM=",
  };
  expect(textsIn({ input: [{ role: "user", content: [file] }] })).toEqual(["a.txt", "plans"]);
  expect(textsIn({ input: "data:text/plain,plans" })).toEqual(["data:text/plain,plans"]);
});

test("a prompt of token ids says nothing that can be read", () => {
  expect(buildTexts(parseExactJson('{"prompt":[1,2]}')).hasTokenIds).toBe(true);
  expect(buildTexts(parseExactJson('{"input":[[1,2],[3]]}')).hasTokenIds).toBe(true);
  expect(buildTexts(parseExactJson('{"input":["a"],"seed":1}')).hasTokenIds).toBe(false);
});

test("what replaces the texts stands where they stood, and everything else stays as it was", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), (body) => {
      const json = parseExactJson(body);
      const { texts } = buildTexts(json);
      expect(JSON.stringify(addTexts(json, texts))).toBe(JSON.stringify(json));
      const changed = addTexts(
        json,
        texts.map((_, index) => `<${index}>`),
      );
      const again = buildTexts(changed).texts;
      expect(again).toEqual(texts.map((_, index) => `<${index}>`));
    }),
  );
});

test("numbers keep their digits", () => {
  const body = '{"seed":9007199254740993,"temperature":1.0,"input":"x"}';
  expect(JSON.stringify(addTexts(parseExactJson(body), ["y"]))).toBe(body.replace('"x"', '"y"'));
});
