import { expect, test } from "vitest";
import { firstTriedCall } from "./first-tried-call.ts";

const read = { method: "GET", path: "/api/thing/", scope: "things:read", role: "user" };
const one = { ...read, path: "/api/thing/{id}" };
const all = { ...read, path: "/api/thing/all", role: "admin" };
const find = { ...read, method: "POST", path: "/api/thing/find" };
const acts = { ...read, path: "/api/thing/test", scope: "things:write" };

test("a key is tried first with a call that reads, that every user may make, with nothing to fill in", () => {
  expect(firstTriedCall([acts, find, all, one, read], ["things:write", "things:read"])).toBe(read);
  expect(firstTriedCall([acts, find, all, one], ["things:write", "things:read"])).toBe(one);
  expect(firstTriedCall([acts, find, all], ["things:write", "things:read"])).toBe(all);
  expect(firstTriedCall([read, acts], ["things:write"])).toBe(acts);
  expect(firstTriedCall([read, acts], ["gone:read"])).toBe(read);
  expect(firstTriedCall([], ["things:read"])).toBeUndefined();
});
