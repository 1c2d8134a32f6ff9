import fc from "fast-check";
import { expect, test } from "vitest";
import {
  compareWith,
  findReferenceInForm,
  parseUnseenInputs,
  unseenInputKinds,
} from "./unseen-inputs.ts";

const user = (...content: unknown[]) => ({ role: "user", content });
const address = "https://example.org/a.png";
const data = "data:image/png;base64,AAAA";

test.each<[string, unknown, Record<string, number>]>([
  [
    "plain chat",
    { model: "m", messages: [{ role: "user", content: "see https://example.org" }] },
    {},
  ],
  ["a body that is no object", [1], {}],
  ["no body", undefined, {}],
  ["a picture by value", { messages: [user({ type: "image_url", image_url: { url: data } })] }, {}],
  [
    "a picture by address",
    { messages: [user({ type: "image_url", image_url: { url: address } })] },
    { address: 1 },
  ],
  [
    "two pictures of an item",
    { input: [user({ image_url: address }, { image_url: address })] },
    { address: 2 },
  ],
  [
    "a document by address",
    { messages: [user({ source: { type: "url", url: address } })] },
    { address: 1 },
  ],
  [
    "Gemini's file address",
    { contents: [{ parts: [{ fileData: { fileUri: "files/1" } }] }] },
    { address: 1 },
  ],
  [
    "the same, spelled with underscores",
    { contents: [{ parts: [{ file_data: { file_uri: "f" } }] }] },
    { address: 1 },
  ],
  [
    "a picture in a tool's result",
    { messages: [user({ content: [{ source: { url: address } }] })] },
    { address: 1 },
  ],
  [
    "files by id",
    { messages: [user({ file: { file_id: "f" } }, { source: { file_id: "g" } })] },
    { file: 2 },
  ],
  ["an earlier response", { input: "go on", previous_response_id: "resp_1" }, { stored_state: 1 }],
  ["an earlier response that is null", { input: "go on", previous_response_id: null }, {}],
  ["an earlier response that is empty", { input: "go on", previous_response_id: "" }, {}],
  [
    "a conversation that looks like an empty list",
    { conversation: { length: 0 } },
    { stored_state: 1 },
  ],
  ["a conversation", { conversation: { id: "conv_1" } }, { stored_state: 1 }],
  ["a container", { container: "container_1" }, { stored_state: 1 }],
  ["a cache of Gemini's", { cachedContent: "cachedContents/1" }, { stored_state: 1 }],
  [
    "the same behind a compatible API",
    { extra_body: { google: { cached_content: "c" } } },
    { stored_state: 1 },
  ],
  ["no cache behind a compatible API", { extra_body: { google: { thinking: true } } }, {}],
  ["a stored prompt", { prompt: { id: "pmpt_1" } }, { stored_state: 1 }],
  [
    "a conversation that Anthropic keeps",
    { thread: { previous_message_id: "msg_1" } },
    { stored_state: 1 },
  ],
  ["the beginning of one", { thread: { previous_message_id: null } }, {}],
  [
    "an answer with which the prompt is compared",
    { diagnostics: { previous_message_id: "msg_1" } },
    {},
  ],
  ["a prompt of text completions", { prompt: ["a", "b"] }, {}],
  [
    "an item by reference",
    { input: [{ type: "item_reference", id: "msg_1" }] },
    { stored_state: 1 },
  ],
  [
    "an earlier spoken answer",
    { messages: [{ role: "assistant", audio: { id: "audio_1" } }] },
    { stored_state: 1 },
  ],
  ["a spoken answer by address", { messages: [{ audio: { url: address } }] }, { address: 1 }],
  ["a part with an id of its own", { messages: [user({ type: "text", source: { id: "p" } })] }, {}],
  [
    "a picture beside a tool's arguments",
    { messages: [user({ type: "tool_use", image_url: address })] },
    { address: 1 },
  ],
  [
    "a picture in a member of that name",
    { messages: [user({ input: [{ image_url: address }] })] },
    { address: 1 },
  ],
  [
    "a recording by value",
    { messages: [user({ type: "input_audio", input_audio: { data: "AA" } })] },
    {},
  ],
  ["an id that the gateway does not know", { thread_id: "t" }, { unknown_id: 1 }],
  ["a list of them", { knowledge_base_ids: ["k"] }, { unknown_id: 1 }],
  ["an empty list of them", { knowledge_base_ids: [] }, {}],
  ["an id of the caller", { user_id: "u", session_id: "s" }, {}],
  ["a search beside the messages", { web_search_options: {} }, { hosted_tool: 1 }],
  ["a search that is off", { enable_search: false }, {}],
  [
    "a document by address, in the member of its bytes",
    { messages: [user({ file_data: address })] },
    { address: 1 },
  ],
  [
    "a document by value",
    { messages: [user({ file_data: "JVBERi0=" }, { filename: address })] },
    {},
  ],
  ["an agent of the operator's", { agent: { name: "a" } }, { unknown_id: 1 }],
  ["a guardrail that is null", { guardrailConfig: null }, {}],
  ["a voice of one's own", { voice: { id: "v" } }, { unknown_id: 1 }],
  ["the same in a chat", { audio: { voice: { id: "v" } } }, { unknown_id: 1 }],
  ["a voice of the provider's", { voice: "alloy", audio: { voice: "alloy" } }, {}],
  [
    "files in a message of the system",
    { messages: [{ role: "system", content: " fileid://f" }] },
    { file: 1 },
  ],
  ["the same words of a user", { messages: [{ role: "user", content: "fileid://f" }] }, {}],
  ["a message of the system", { messages: [{ role: "system", content: "be brief" }] }, {}],
  ["such words in another member", { messages: [{ role: "system", name: "fileid://f" }] }, {}],
  ["an object in a bucket", { contents: [{ gcsUri: "gs://b/c" }] }, { address: 1 }],
  ["servers", { mcp_servers: [{ url: address }, { url: address }] }, { mcp: 2 }],
])("what the gateway cannot see of a request: %s", (_, json, expected) => {
  expect(parseUnseenInputs(json)).toEqual(expected);
});

test.each<[string, unknown, Record<string, number>]>([
  ["a function of a chat", { type: "function", function: { name: "f" } }, {}],
  ["a custom tool", { type: "custom", name: "f" }, {}],
  ["a function without a type", { function: { name: "f" } }, {}],
  ["a tool without a type", { name: "f", input_schema: {} }, {}],
  ["a shell of the client", { type: "bash_20250124", name: "bash" }, {}],
  ["a desktop of the client", { type: "computer_use_preview" }, {}],
  ["functions of Gemini", { functionDeclarations: [{ name: "f" }] }, {}],
  ["a search", { type: "web_search" }, { hosted_tool: 1 }],
  ["a search with a date", { type: "web_search_20250305", name: "web_search" }, { hosted_tool: 1 }],
  ["code", { type: "code_interpreter" }, { hosted_tool: 1 }],
  ["a tool of another provider", { type: "openrouter:search" }, { hosted_tool: 1 }],
  ["two tools of Gemini in one entry", { googleSearch: {}, codeExecution: {} }, { hosted_tool: 2 }],
  ["a server of tools", { type: "mcp", server_url: address }, { mcp: 1 }],
  ["a set of a server's tools", { type: "mcp_toolset" }, { mcp: 1 }],
])("a tool that the provider runs is unseen, one of the client is not: %s", (_, tool, expected) => {
  expect(parseUnseenInputs({ tools: [tool] })).toEqual(expected);
});

test.each([
  [
    "arguments of a call",
    { role: "assistant", content: [{ type: "tool_use", input: { url: address } }] },
  ],
  ["arguments as an object", { parts: [{ functionCall: { args: { url: address } } }] }],
  ["a result as an object", { parts: [{ functionResponse: { response: { url: address } } }] }],
])("an address in %s is text", (_, message) => {
  expect(parseUnseenInputs({ messages: [message] })).toEqual({});
});

test.each([
  [{ diagnostics: { previous_message_id: "msg_1" } }, "msg_1"],
  [{ prompt_cache_options: { comparison_response_id: "resp_1" } }, "resp_1"],
  [
    {
      diagnostics: { previous_message_id: null },
      prompt_cache_options: { comparison_response_id: null },
    },
    undefined,
  ],
  [{}, undefined],
])("the answer that %j compares its prompt with is %s", { tags: ["S2-12"] }, (json, id) => {
  expect(compareWith(json)).toBe(id);
});

test("any JSON is read, and what is counted is a positive whole number of a known kind", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (messages, tools, input) => {
      for (const [kind, count] of Object.entries(parseUnseenInputs({ messages, tools, input }))) {
        expect(unseenInputKinds).toContain(kind);
        expect(Number.isSafeInteger(count) && count > 0).toBe(true);
      }
    }),
  );
});

test("a form names files by fields that end in an id or an address, and its client by some of the same", {
  tags: ["S2-12"],
}, () => {
  for (const name of [
    "file_id",
    "file_ids",
    "file_url",
    "url",
    "URL",
    "audio_url",
    "uri",
    "id",
    "file_ids[]",
    "file_id[0]",
  ])
    expect([name, findReferenceInForm(["file", name])]).toEqual([name, name]);
  const harmless = [
    "file",
    "model",
    "prompt",
    "session_id",
    "User_Id",
    "image[]",
    "known_speaker_names[]",
    "curl",
    "idle",
  ];
  expect(findReferenceInForm(harmless)).toBeUndefined();
});
