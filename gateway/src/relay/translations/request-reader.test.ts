import { expect, test } from "vitest";
import type { JsonRecord } from "../wire/json-parts.ts";
import { RequestReader } from "./request-reader.ts";

/**
 * Reads `a` whole, `c.d`, `e` where it is 1, and of the list `f` objects of type `x` with their
 * field `y`.
 */
function droppedOf(json: JsonRecord): string[] {
  const request = new RequestReader(json);
  request.read("a");
  request.object("c").read("d");
  request.allow("e", 1);
  for (const item of request.objects("f")) {
    if (item.get("type") === "x") item.read("y");
    else item.drop();
  }
  return request.dropped();
}

test.each<[JsonRecord, string[]]>([
  [{ a: { anything: [1] } }, []],
  [{ b: null, c: undefined, z: null }, []],
  [{ b: [], z: [[]] }, []],
  [{ b: 0 }, ["b"]],
  [{ z: {} }, ["z"]],
  [{ c: { d: 1, g: 3, h: 4 } }, ["c.g", "c.h"]],
  [{ c: "no object" }, []],
  [{ e: 1 }, []],
  [{ e: 2 }, ["e"]],
  [{ f: [{ type: "x", y: 1, z: 2 }, "a text", { type: "other", y: 1 }] }, ["f.other", "f.z"]],
  [{ f: [{ y: 1 }] }, ["f"]],
  [{ f: [{ type: "constructor" }, { type: "a, b\r\nset-cookie: c" }] }, ["f", "f.constructor"]],
  [JSON.parse('{"__proto__":1,"b":1,"odd\\r\\nname":1,"ü":1}') as JsonRecord, ["__proto__", "b"]],
])("of %j the fields %j are dropped", (json, dropped) => expect(droppedOf(json)).toEqual(dropped));

test("a field inside a dropped object is not reported beside it", () => {
  const request = new RequestReader({ tool: { type: "search", filter: { size: 1 } } });
  const tool = request.object("tool");
  tool.object("filter");
  tool.drop();
  expect(request.dropped()).toEqual(["tool.search"]);
});

test("a typed field is read or dropped by its type", () => {
  const droppedFor = (choice: unknown): string[] => {
    const request = new RequestReader({ choice });
    request.readTyped("choice", "function");
    return request.dropped();
  };
  expect(droppedFor("auto")).toEqual([]);
  expect(droppedFor({ type: "function", name: "f" })).toEqual([]);
  expect(droppedFor({ type: "custom", name: "f" })).toEqual(["choice.custom"]);
});

test("at most 100 fields are reported", () => {
  const json = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`m${index}`, 1]));
  expect(new RequestReader(json).dropped()).toHaveLength(100);
});
