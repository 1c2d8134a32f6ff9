import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createSealer } from "../../secrets/seal.ts";
import {
  openHeaders,
  openHeaderValues,
  sealHeaderValues,
  splitHeaders,
} from "./channel-headers.ts";

const seal = createSealer(randomBytes(32));
const settings = (headers: object, more = {}) =>
  JSON.stringify({ a: 1, custom_headers: headers, ...more });
const masked = settings({ "X-One": "********", "x-two": "********" });
const values = { "x-one": "first", "x-two": "{{key}}" };

test("values leave the settings, and names stay", () => {
  expect(splitHeaders(settings({ "X-One": "first", "x-two": "{{key}}" }), {})).toEqual({
    config: masked,
    values,
  });
});

test("a mask keeps the stored value, a name that is missing drops it, a new value replaces it", () => {
  const edit = splitHeaders(settings({ "x-ONE": "***", "x-new": "v" }), values);
  expect(edit.values).toEqual({ "x-one": "first", "x-new": "v" });
  expect(splitHeaders(settings({}), values)).toEqual({ config: settings({}), values: {} });
  expect(splitHeaders('{ "a":1 }', values)).toEqual({ config: '{ "a":1 }', values: {} });
  expect(splitHeaders("", values)).toEqual({ config: "", values: {} });
});

test("a mask without a stored value is refused: it would be sent as the value", () => {
  expect(() => splitHeaders(settings({ "x-three": "********" }), values)).toThrow(
    expect.objectContaining({ code: "channel_header_required" }),
  );
});

test("sealed values open for their channel alone", () => {
  const headers_sealed = sealHeaderValues(seal, "u", values);
  expect(headers_sealed).not.toContain("first");
  const row = { uuid: "u", headers_sealed, config: masked };
  expect(openHeaderValues(seal, row)).toEqual(values);
  expect(JSON.parse(openHeaders(seal, row).config)).toEqual({
    a: 1,
    custom_headers: { "X-One": "first", "x-two": "{{key}}" },
  });
  expect(() => openHeaders(seal, { ...row, uuid: "another" })).toThrow();
  const without = { uuid: "u", headers_sealed: "", config: '{ "a":1}' };
  expect(openHeaders(seal, without)).toBe(without);
});
