import { expect, test } from "vitest";
import {
  entityIds,
  entityRef,
  listOrEmpty,
  readEnvelope,
  shortEntityRef,
  toUnixSeconds,
  withLogDefaults,
} from "./reply-envelope.ts";

test("reading an envelope keeps the members beside the data", () => {
  expect(readEnvelope({ success: true, message: "", data: [1], total: 40, total_capped: true }, true)).toMatchObject({
    success: true,
    data: [1],
    extras: { total: 40, total_capped: true },
  });
});

test("a refusal keeps its message, code, fields and retry time", () => {
  const body = {
    success: false,
    message: "no",
    code: "nope",
    fields: { name: "missing" },
    retry_after: 7,
    data: { a: 1 },
  };
  expect(readEnvelope(body, false)).toEqual({
    success: false,
    message: "no",
    code: "nope",
    fields: { name: "missing" },
    retryAfterSeconds: 7,
    data: { a: 1 },
    extras: {},
  });
});

test("a rate limit in the relay's error format is read as a refusal", () => {
  expect(readEnvelope({ error: { message: "slow down", type: "one_api_error" } }, false)).toMatchObject({
    success: false,
    message: "slow down",
  });
  const ours = { success: false, message: "slow down", code: "too_many_requests", retry_after: 9 };
  expect(readEnvelope({ ...ours, error: { message: "slow down (request id: 1)" } }, false)).toMatchObject({
    message: "slow down",
    code: "too_many_requests",
    retryAfterSeconds: 9,
  });
});

test("a reply without an envelope is its own data", () => {
  expect(readEnvelope({ uuid: "x" }, true)).toMatchObject({ success: true, data: { uuid: "x" } });
  expect(readEnvelope(null, false)).toMatchObject({ success: false, message: "" });
});

test("a missing list is an empty list", () => {
  expect(listOrEmpty(null, true)).toEqual([]);
  expect(listOrEmpty(undefined, false)).toBeNull();
  expect(listOrEmpty([1], true)).toEqual([1]);
});

test("an entity is referenced by its uuid, else by its id, and in bodies by both", () => {
  expect(entityRef({ id: 3, uuid: "u" })).toBe("u");
  expect(entityRef({ id: 3 })).toBe("3");
  expect(entityIds({ id: 3, uuid: "u", name: "x" })).toEqual({ id: 3, uuid: "u" });
  expect(entityIds({ id: 3, name: "x" })).toEqual({ id: 3 });
});

test("an entity without a name is shown by a short reference", () => {
  expect(shortEntityRef({ id: 3, uuid: "0199aa10-1111-7000-8000-0000000000aa" })).toBe("3");
  expect(shortEntityRef({ uuid: "0199aa10-1111-7000-8000-0000000000aa" })).toBe("000000aa");
});

test("missing members of a log entry get defaults, sent ones win", () => {
  expect(withLogDefaults({ model_name: "o3", trace_id: "4be1" })).toEqual({
    model_name: "o3",
    trace_id: "4be1",
    cached_prompt_tokens: 0,
    origin_model_name: "",
    request_id: "",
    content: "",
  });
});

test("times in seconds or milliseconds become seconds", () => {
  expect(toUnixSeconds(1_795_100_000)).toBe(1_795_100_000);
  expect(toUnixSeconds(1_795_100_000_123)).toBe(1_795_100_000);
  expect(toUnixSeconds(undefined, 0, 1_795_100_000_999)).toBe(1_795_100_000);
  expect(toUnixSeconds(null)).toBe(0);
  expect(toUnixSeconds(-1)).toBe(-1);
});
