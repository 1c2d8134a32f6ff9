import { expect, test } from "vitest";
import { createSessionAffinity, findConversation } from "./session-affinity.ts";

const say = (role: string, content: unknown) => ({ role, content });
const idOf = (json: object, headers = {}) => findConversation(json, headers)?.id;

const first = { messages: [say("system", "be kind"), say("user", "hello")] };
const later = { messages: [...first.messages, say("assistant", "hi"), say("user", "and now?")] };

test("a conversation is identified by its opening, and is no longer new with its second call", () => {
  expect(idOf(later)).toBe(idOf(first));
  expect([findConversation(first, {})?.isNew, findConversation(later, {})?.isNew]).toEqual([
    true,
    false,
  ]);
});

test.each([
  ["another question", { messages: [say("system", "be kind"), say("user", "bye")] }],
  ["another instruction", { messages: [say("system", "be rude"), say("user", "hello")] }],
  ["another user", { ...first, user: "u2" }],
])("%s is another conversation", (_, other) => {
  expect(idOf(other)).not.toBe(idOf(first));
});

test.each([
  [
    "Messages",
    { system: [{ text: "s" }], messages: [say("user", [{ type: "text", text: "a" }])] },
    "messages",
  ],
  ["Responses", { instructions: "s", input: [say("user", "a")] }, "input"],
  ["Gemini", { contents: [{ role: "user", parts: [{ text: "a" }] }] }, "contents"],
])("in %s too", (_, json, member) => {
  const turns = (json as unknown as Record<string, unknown[]>)[member] ?? [];
  const next = { ...json, [member]: [...turns, say("assistant", "b"), say("user", "c")] };
  expect(findConversation(next, {})).toEqual({ id: idOf(json), isNew: false });
});

test("a session id from the client takes precedence over the text", () => {
  const named = [
    idOf({ ...first, prompt_cache_key: "s1" }),
    idOf({ ...later, prompt_cache_key: "s1" }),
    idOf({ messages: [say("user", "else")], prompt_cache_key: "s1" }),
    idOf({ metadata: { user_id: "s1" }, messages: [] }),
    idOf({ session_id: "s1" }),
    idOf({ input: "text" }, { session_id: "s1" }),
    idOf({ input: "text" }, { "x-session-id": "s1" }),
  ];
  expect(new Set(named).size).toBe(1);
  expect(findConversation({ ...first, prompt_cache_key: "s1" }, {})?.isNew).toBe(false);
});

test.each([
  { input: "text" },
  [],
  "x",
  null,
  { messages: [] },
  { prompt: "p" },
  { input: ["a", "b"] },
])("%o is no conversation", (json) => {
  expect(findConversation(json, {})).toBeUndefined();
});

test("a large first message costs no more than its beginning", () => {
  const picture = say("user", [
    { type: "text", text: "look" },
    { type: "image_url", image_url: { url: "x".repeat(5_000_000) } },
  ]);
  const other = say("user", [
    { type: "text", text: "look" },
    { type: "image_url", image_url: { url: "x".repeat(6_000_000) } },
  ]);
  expect(idOf({ messages: [picture] })).toBe(idOf({ messages: [other] }));
});

test("a conversation keeps its channel for a key and a model for a while; its first call has no preference", () => {
  const clock = { now: 0 };
  const conversations = createSessionAffinity(() => clock.now);
  const begun = { id: "conversation", isNew: true };
  const goesOn = { id: "conversation", isNew: false };
  conversations.remember(1, "m", begun, { channelId: 7, keyIndex: 2 });
  expect(conversations.preferredChannel(1, "m", goesOn)).toEqual({ channelId: 7, keyIndex: 2 });
  expect(conversations.preferredChannel(1, "m", begun)).toBeUndefined();
  expect(conversations.preferredChannel(2, "m", goesOn)).toBeUndefined();
  expect(conversations.preferredChannel(1, "n", goesOn)).toBeUndefined();
  clock.now = 300_000;
  expect(conversations.preferredChannel(1, "m", goesOn)).toBeUndefined();
});
