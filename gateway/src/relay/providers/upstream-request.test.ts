import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { UpstreamRequest } from "./provider.ts";
import { applyOverrides } from "./upstream-request.ts";

const request = (body: string, type = "application/json"): UpstreamRequest => ({
  url: new URL("https://upstream.example/v1/chat/completions"),
  headers: ["content-type", type, "user-agent", "tollgate", "authorization", "Bearer content-type"],
  body: Buffer.from(body),
});
const headersAfter = (custom_headers: unknown, key = "k1") =>
  applyOverrides(request("{}"), { custom_headers }, key).headers;
const bodyAfter = (body: string, param_override: unknown) =>
  applyOverrides(request(body), { param_override }, "k1").body.toString();

test("a channel without overrides sends the request as it is", () => {
  const plain = request('{"a":1}');
  expect(applyOverrides(plain, { region: "eu" }, "k")).toBe(plain);
});

test("a header takes the place of every one of its name, and {{key}} in it that of the channel's key", () => {
  expect(headersAfter({ AUTHORIZATION: "Token {{key}}/{{key}}", "X-Title": "mine" })).toEqual([
    "content-type",
    "application/json",
    "user-agent",
    "tollgate",
    "AUTHORIZATION",
    "Token k1/k1",
    "X-Title",
    "mine",
  ]);
  expect(headersAfter({ "x-key": "{{key}}" }, "$& $1").slice(-2)).toEqual(["x-key", "$& $1"]);
});

test.each([
  { host: "evil" },
  { "Content-Length": "0" },
  { "transfer-encoding": "chunked" },
  { "x y": "z" },
  { "x-a": "a\r\nx-b: c" },
  { "x-a": 1 },
  "text",
])("headers %o, stored before they were checked, are left out", (stored) => {
  expect(headersAfter(stored)).toEqual(request("{}").headers);
});

test("a key that no header can hold is reported to the operator and not sent", () => {
  expect(() => headersAfter({ "x-key": "{{key}}" }, "two\r\nlines")).toThrow(
    /does not fit into the header x-key/,
  );
});

test.each([
  ['{"a":1,"b":2}', { b: 3 }, '{"a":1,"b":3}'],
  ['{"a":1}', { c: { d: [null] } }, '{"a":1,"c":{"d":[null]}}'],
  ['{"a":1,"b":2}', { a: null, gone: null }, '{"b":2}'],
  ['{"a":1}', { a: null }, "{}"],
  ["{}", { a: 1 }, '{"a":1}'],
  [
    '{"seed":12345678901234567890,"é":"雪 \\u2028"}',
    { a: 1 },
    '{"seed":12345678901234567890,"é":"雪 \\u2028","a":1}',
  ],
  [
    '{"model":"m","stream":true}',
    { model: "x", stream: false, messages: [] },
    '{"model":"m","stream":true}',
  ],
])("%s with %o becomes %s", (body, parameters, after) => {
  expect(bodyAfter(body, parameters)).toBe(after);
});

test("a body that is no JSON object stays as it is", () => {
  const form = request("{not json", "multipart/form-data; boundary=x");
  expect(applyOverrides(form, { param_override: { a: 1 } }, "k").body).toBe(form.body);
  expect(bodyAfter("[1]", { a: 1 })).toBe("[1]");
});

test("any body becomes what a spread of its members and the overrides gives", () => {
  const members = fc.dictionary(fc.string(), fc.jsonValue());
  fc.assert(
    fc.property(members, members, (body, parameters) => {
      const allowed = Object.entries(parameters).filter(
        ([name]) =>
          ![
            "model",
            "stream",
            "stream_options",
            "messages",
            "input",
            "prompt",
            "contents",
          ].includes(name),
      );
      const merged = Object.entries({ ...body, ...Object.fromEntries(allowed) });
      const removed = new Set(allowed.filter(([, value]) => value === null).map(([name]) => name));
      const after: unknown = JSON.parse(bodyAfter(JSON.stringify(body), parameters));
      const expected: unknown = JSON.parse(
        JSON.stringify(Object.fromEntries(merged.filter(([name]) => !removed.has(name)))),
      );
      expect(after).toEqual(expected);
    }),
  );
});
