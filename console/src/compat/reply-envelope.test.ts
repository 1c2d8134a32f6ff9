import { expect, test } from "vitest";
import { readEnvelope } from "./reply-envelope.ts";

test("reading an envelope keeps the members beside the data", () => {
  expect(
    readEnvelope({ success: true, message: "", data: [1], total: 40, total_capped: true }, true),
  ).toMatchObject({
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
  expect(
    readEnvelope({ error: { message: "slow down", type: "one_api_error" } }, false),
  ).toMatchObject({
    success: false,
    message: "slow down",
  });
  const ours = { success: false, message: "slow down", code: "too_many_requests", retry_after: 9 };
  expect(
    readEnvelope({ ...ours, error: { message: "slow down (request id: 1)" } }, false),
  ).toMatchObject({
    message: "slow down",
    code: "too_many_requests",
    retryAfterSeconds: 9,
  });
});

test("a reply without an envelope is its own data", () => {
  expect(readEnvelope({ uuid: "x" }, true)).toMatchObject({ success: true, data: { uuid: "x" } });
  expect(readEnvelope(null, false)).toMatchObject({ success: false, message: "" });
});
