import { expect, test } from "vitest";
import { findFirstTriedCall } from "./first-tried-call.ts";

const read = { method: "GET", path: "/api/thing/", scope: "things:read", role: "user" };
const one = { ...read, path: "/api/thing/{id}" };
const all = { ...read, path: "/api/thing/all", role: "admin" };
const find = { ...read, method: "POST", path: "/api/thing/find" };
const acts = { ...read, path: "/api/thing/test", scope: "things:write" };

test("a key is tried first with a call that reads, that every user may make, with nothing to fill in", () => {
  expect(findFirstTriedCall([acts, find, all, one, read], ["things:write", "things:read"])).toBe(
    read,
  );
  expect(findFirstTriedCall([acts, find, all, one], ["things:write", "things:read"])).toBe(one);
  expect(findFirstTriedCall([acts, find, all], ["things:write", "things:read"])).toBe(all);
  expect(findFirstTriedCall([read, acts], ["things:write"])).toBe(acts);
  expect(findFirstTriedCall([read, acts], ["gone:read"])).toBe(read);
  expect(findFirstTriedCall([], ["things:read"])).toBeUndefined();
});
