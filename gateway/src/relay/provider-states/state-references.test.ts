import { expect, test } from "vitest";
import {
  listIdsNamedInEvent,
  listIdsOfChat,
  listIdsOfMessage,
  listIdsOfResponse,
  listIdsOutlivingResponse,
  listStateReferences,
  parseIdsNamed,
} from "./state-references.ts";

const named = (json: Record<string, unknown>) =>
  listStateReferences(json).map(({ kind, id, param }) => `${param}: ${kind} ${id}`);

test.each([
  [{ previous_response_id: "r" }, ["previous_response_id: response r"]],
  [{ conversation: "c" }, ["conversation: conversation c"]],
  [{ conversation: { id: "c" } }, ["conversation: conversation c"]],
  [{ prompt: { id: "p", version: "1" } }, ["prompt: prompt p"]],
  [{ input: [{ type: "item_reference", id: "i" }] }, ["input: item i"]],
  [{ input: [{ id: "i" }] }, ["input: item i"]],
  [{ input: [{ type: null, id: "i" }] }, ["input: item i"]],
  [
    { input: [{ role: "user", content: [{ type: "input_file", file_id: "f" }] }] },
    ["input: file f"],
  ],
  [{ tools: [{ type: "code_interpreter", container: "c" }] }, ["tools: container c"]],
  [
    { tools: [{ type: "code_interpreter", container: { type: "auto", file_ids: ["f", "g"] } }] },
    ["tools: file f", "tools: file g"],
  ],
  [{ tools: [{ type: "file_search", vector_store_ids: ["v"] }] }, ["tools: vector_store v"]],
  [{ container: "c" }, ["container: container c"]],
  [{ diagnostics: { previous_message_id: "m" } }, ["diagnostics: response m"]],
  [{ diagnostics: { previous_message_id: null } }, []],
  [{ prompt_cache_options: { comparison_response_id: "r" } }, ["prompt_cache_options: response r"]],
  [{ fallback_credit_token: "t" }, ["fallback_credit_token: credit t"]],
  [{ fallback_credit_token: { token: "t", mode: "strict" } }, ["fallback_credit_token: credit t"]],
  [{ images: [{ file_id: "f" }], mask: { file_id: "g" } }, ["images: file f", "mask: file g"]],
  [
    { prompt: { id: "p", variables: { a: { type: "input_file", file_id: "f" } } } },
    ["prompt: prompt p", "prompt: file f"],
  ],
  [
    {
      prompt: {
        id: "p",
        variables: { response: { type: "input_file", file_id: "f" }, file_id: "g" },
      },
    },
    ["prompt: prompt p", "prompt: file f"],
  ],
  [{ input: [{ type: "image_generation_call", id: "ig" }] }, ["input: item ig"]],
  [{ messages: [{ role: "assistant", audio: { id: "au" } }] }, ["messages: audio au"]],
  [{ input: [{ type: "image_generation_call", id: "ig", result: null }] }, ["input: item ig"]],
  [{ container: { id: "c", skills: [] } }, ["container: container c"]],
  [
    {
      messages: [
        { role: "user", content: [{ type: "document", source: { type: "file", file_id: "f" } }] },
      ],
    },
    ["messages: file f"],
  ],
  [
    { messages: [{ role: "user", content: [{ type: "file", file: { file_id: "f" } }] }] },
    ["messages: file f"],
  ],
  [
    {
      contents: [
        {
          parts: [
            { fileData: { fileUri: "gs://bucket/files/a" } },
            { fileData: { fileUri: "GS://b/c" } },
          ],
        },
      ],
    },
    ["contents: file gs://bucket/files/a", "contents: file GS://b/c"],
  ],
  [
    { messages: [{ content: [{ type: "image_url", image_url: { url: "gs://b/c" } }] }] },
    ["messages: file gs://b/c"],
  ],
  [
    { tools: [{ fileSearch: { fileSearchStoreNames: ["fileSearchStores/a"] } }] },
    ["tools: vector_store fileSearchStores/a"],
  ],
  [
    {
      tools: [
        { retrieval: { vertexAiSearch: { datastore: "projects/p/d" } } },
        { retrieval: { vertexAiSearch: { engine: "e" } } },
      ],
    },
    ["tools: vector_store projects/p/d", "tools: vector_store e"],
  ],
  [
    {
      tools: [
        {
          retrieval: { vertexRagStore: { ragResources: [{ ragCorpus: "c" }], ragCorpora: ["d"] } },
        },
      ],
    },
    ["tools: vector_store c", "tools: vector_store d"],
  ],
  [
    {
      tools: [
        {
          retrieval: {
            vertex_ai_search: { data_store_specs: [{ data_store: "s" }, { dataStore: "t" }] },
          },
        },
      ],
    },
    ["tools: vector_store s", "tools: vector_store t"],
  ],
  [{ cachedContent: "cachedContents/1" }, ["cachedContent: cache cachedContents/1"]],
  [
    {
      contents: [
        {
          parts: [
            { fileData: { fileUri: "https://generativelanguage.googleapis.com/v1beta/files/abc" } },
          ],
        },
      ],
    },
    ["contents: gemini_file https://generativelanguage.googleapis.com/v1beta/files/abc"],
  ],
  [
    {
      messages: [
        {
          content: [
            {
              type: "image_url",
              image_url: { url: "https://generativelanguage.googleapis.com/v1/files/a" },
            },
          ],
        },
        {
          content: [
            {
              type: "file",
              file: { file_data: "https://generativelanguage.googleapis.com/v1beta/files/b?k" },
            },
          ],
        },
      ],
    },
    [
      "messages: gemini_file https://generativelanguage.googleapis.com/v1beta/files/a",
      "messages: gemini_file https://generativelanguage.googleapis.com/v1beta/files/b",
    ],
  ],
])("%j names what a provider keeps", (json, expected) => expect(named(json)).toEqual(expected));

test.each([
  "HTTPS://GenerativeLanguage.googleapis.com/v1beta/files/abc",
  "http://generativelanguage.googleapis.com:80/v1beta/files/abc",
  "https://user@generativelanguage.googleapis.com./v1beta//files/abc?alt=media",
  "https://generativelanguage.googleapis.com/v1beta/%66iles/abc",
  "files/abc",
  "v1beta/files/abc",
])("a file of Google's is known by %s", (fileUri) => {
  const known = "contents: gemini_file https://generativelanguage.googleapis.com/v1beta/files/abc";
  expect(named({ contents: [{ parts: [{ fileData: { fileUri } }] }] })).toEqual([known]);
});

test.each([
  {},
  {
    plugins: [{ id: "web", engine: "exa" }],
    tools: [{ type: "x", engine: "native", datastore: "d" }],
  },
  {
    tools: [
      { functionDeclarations: [{ name: "f", parameters: { datastore: "text", engine: "text" } }] },
    ],
  },
  {
    contents: [
      {
        parts: [
          { fileData: { fileUri: "https://e.org/generativelanguage.googleapis.com/files/abc" } },
        ],
      },
    ],
  },
  { contents: [{ parts: [{ fileData: { fileUri: `${"x".repeat(200)} files/abc` } }] }] },
  {
    contents: [
      { parts: [{ fileData: { fileUri: "https://generativelanguage.googleapis.com/%" } }] },
    ],
  },
  { prompt: "once upon a time", conversation: null, previous_response_id: "", container: {} },
  {
    audio: { voice: "alloy" },
    messages: [{ role: "user", content: [{ type: "input_audio", input_audio: { data: "id" } }] }],
  },
  { input: "text", messages: [{ role: "user", content: "file_id: x" }] },
  {
    input: [
      { type: "message", id: "msg_1", role: "assistant", content: [] },
      { type: "function_call", id: "fc_1", arguments: {} },
      { type: "image_generation_call", id: "ig_1", result: "iVBORw0KGgo=" },
    ],
  },
  {
    metadata: { file_id: "label" },
    response_format: { json_schema: { schema: { file_id: "x" } } },
  },
  { functions: [{ name: "f", parameters: { properties: { file_id: "x" } } }] },
  {
    messages: [
      {
        role: "assistant",
        content: [{ type: "tool_use", input: { file_id: "mine", container: "mine" } }],
      },
    ],
  },
  {
    tools: [
      { name: "t", input_schema: { properties: { file_id: { type: "string" } }, container: "x" } },
    ],
  },
  { contents: [{ parts: [{ fileData: { fileUri: "https://www.youtube.com/watch?v=files/1" } }] }] },
])("%j names nothing", (json) => expect(named(json)).toEqual([]));

test.each([
  { type: "reasoning", id: "i", summary: [] },
  {
    type: "reasoning",
    id: "i",
    summary: [{ type: "summary_text", text: "t" }],
    encrypted_content: null,
  },
  { type: "reasoning", id: "i", encrypted_content: "" },
  { type: "compaction", id: "i" },
  { type: "message", id: "i", role: "assistant" },
  { role: "assistant", id: "i" },
  { type: "web_search_call", id: "i", status: "completed", action: { type: "search", query: "q" } },
  { type: "file_search_call", id: "i", queries: ["q"], results: null },
  { type: "code_interpreter_call", id: "i", code: "1", outputs: [] },
  { type: "mcp_call", id: "i", arguments: "{}" },
  { type: "a type of next year", id: "i", text: "t" },
])("an item that is read by its id is named by it: %j", { tags: ["S2-12"] }, (item) => {
  expect(listStateReferences({ input: [item] })).toEqual([
    { kind: "item", id: "i", param: "input", isWholeItem: true },
  ]);
});

test("reasoning that is written out has an owner, and no place where it must be read", () => {
  const item = { type: "reasoning", id: "i", content: [{ type: "reasoning_text", text: "t" }] };
  expect(listStateReferences({ input: [item] })).toEqual([
    { kind: "item", id: "i", param: "input", isWholeItem: true, isWrittenOut: true },
  ]);
});

test.each([
  { type: "reasoning", summary: [] },
  { type: "reasoning", id: "i", encrypted_content: "gAAAA" },
  { type: "compaction", id: "i", encrypted_content: "gAAAA" },
  { type: "file_search_call", id: "i", results: [{ text: "t" }] },
  { type: "code_interpreter_call", id: "i", outputs: [{ type: "logs", logs: "1" }] },
  { type: "mcp_list_tools", id: "i", tools: [{ name: "t" }] },
  ...[
    "function_call",
    "custom_tool_call",
    "local_shell_call",
    "shell_call",
    "apply_patch_call",
    "computer_call",
  ].map((type) => ({ type, id: "i" })),
  { type: "mcp_approval_request", id: "i" },
  { type: "mcp_approval_response", id: "i", approve: true },
  { type: "function_call_output", id: "i", output: "o" },
])("an item that carries what it says names nothing: %j", (item) =>
  expect(named({ input: [item] })).toEqual([]),
);

test("items that a conversation is made of are named as those of an input are", {
  tags: ["S2-12"],
}, () => {
  const items = [
    { type: "reasoning", id: "rs", summary: [] },
    { type: "item_reference", id: "ref" },
    { type: "message", id: "msg", role: "user", content: "hi" },
    { role: "user", content: [{ type: "input_file", file_id: "f" }] },
  ];
  expect(parseIdsNamed({ items, metadata: { file_id: "label" } })).toEqual([
    { kind: "file", id: "f", param: "items" },
    { kind: "item", id: "rs", param: "items" },
    { kind: "item", id: "ref", param: "items" },
  ]);
});

test("an event of a realtime session names what a request does, but for items of the session", () => {
  const named = (event: object) =>
    listIdsNamedInEvent({ ...event }).map(({ kind, id }) => `${kind} ${id}`);
  const tools = [{ type: "mcp", connector_id: "c" }];
  expect(
    named({ session: { prompt: { id: "p" }, tools, audio: { output: { voice: { id: "v" } } } } }),
  ).toEqual(["prompt p", "connection c", "voice v"]);
  expect(named({ response: { prompt: { id: "p" }, conversation: "none" } })).toEqual(["prompt p"]);
  const file = { role: "user", content: [{ type: "input_file", file_id: "f" }] };
  expect(named({ response: { input: [{ type: "item_reference", id: "i" }, file] } })).toEqual([
    "file f",
  ]);
  expect(named({ item: file })).toEqual(["file f"]);
  expect(named({ item: { id: "i", type: "message", role: "user", content: [] } })).toEqual([]);
});

test("of an answer that is not kept, what a client names again by its id alone has an owner", () => {
  const output = [
    { type: "reasoning", id: "rs", summary: [] },
    { type: "reasoning", id: "rs2", encrypted_content: "gAAAA" },
    { type: "web_search_call", id: "ws", status: "completed" },
    { type: "web_search_call", id: "ws2", status: "in_progress" },
    { type: "code_interpreter_call", id: "ci", container_id: "cntr", outputs: [{}] },
    { type: "message", id: "msg", content: [] },
  ];
  expect(listIdsOutlivingResponse({ id: "resp", conversation: { id: "conv" }, output })).toEqual([
    { kind: "item", id: "rs" },
    { kind: "item", id: "ws" },
    { kind: "container", id: "cntr" },
  ]);
});

test("the ids of an answer are found, whatever else is in it", () => {
  const output = [
    { id: "rs", type: "reasoning" },
    { id: "ci", type: "code_interpreter_call", container_id: "cntr" },
    null,
  ];
  expect(listIdsOfResponse({ id: "r", conversation: { id: "c" }, output })).toEqual([
    { kind: "response", id: "r" },
    { kind: "conversation", id: "c" },
    { kind: "item", id: "rs" },
    { kind: "item", id: "ci" },
    { kind: "container", id: "cntr" },
  ]);
  const content = [
    { type: "code_execution_tool_result", content: { content: [{ file_id: "f" }] } },
  ];
  expect(listIdsOfMessage({ id: "msg", container: { id: "c" }, content })).toEqual([
    { kind: "container", id: "c" },
    { kind: "file", id: "f" },
  ]);
  const said = { input: { file_id: "f" }, content: [{ type: "text", file_id: "f" }] };
  for (const type of ["mcp_tool_use", "mcp_tool_result"])
    expect(
      listIdsOfMessage({ content: [{ type, ...said }], content_block: { type, ...said } }),
    ).toEqual([]);
  for (const type of ["tool_use", "server_tool_use"])
    expect(listIdsOfMessage({ content: [{ type, input: said.input }] })).toEqual([]);
  expect(listIdsOfMessage({ type: "message_delta", delta: { container: { id: "c" } } })).toEqual([
    { kind: "container", id: "c" },
  ]);
  const stop_details = { type: "refusal", fallback_credit_token: "t" };
  for (const message of [{ stop_details }, { type: "message_delta", delta: { stop_details } }])
    expect(listIdsOfMessage(message)).toEqual([{ kind: "credit", id: "t" }]);
  expect([
    listIdsOfResponse({}),
    listIdsOfResponse({ id: 1, output: "x" }),
    listIdsOfMessage({ delta: null }),
  ]).toEqual([[], [], []]);
});

test("what a chat completion says aloud has an id", () => {
  const audio = { id: "au", data: "", expires_at: 1 };
  expect(
    listIdsOfChat({
      choices: [{ message: { content: null, audio } }, { message: { content: "hi" } }],
    }),
  ).toEqual([{ kind: "audio", id: "au" }]);
  expect(listIdsOfChat({ choices: [{ delta: { audio } }] })).toEqual([{ kind: "audio", id: "au" }]);
  expect(listIdsOfChat({ choices: [{ delta: { audio: { data: "AAAA" } } }] })).toEqual([]);
  expect(listIdsOfChat({})).toEqual([]);
});
