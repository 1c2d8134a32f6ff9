import fc from "fast-check";
import { expect, test } from "vitest";
import { parseObjectBody } from "./object-body.ts";
import { findObjectAddress, objectKinds } from "./object-kinds.ts";

test("every route of an object is found at its address, and what is sent on is the address itself", () => {
  for (const { path, routes } of objectKinds)
    for (const { method, below } of routes) {
      const rest = below.replace("{}", "part-1");
      const address = findObjectAddress(method, `/v1/${path}/some_id${rest && `/${rest}`}`);
      expect(address).toMatchObject({ id: "some_id", below: rest, route: { method, below } });
    }
});

test("no other address is sent on: what a provider gets has ids and known words alone", () => {
  const part = fc.oneof(
    fc.constantFrom(
      "files",
      "items",
      "search",
      "..",
      ".",
      "%2e%2e",
      "a/b",
      "",
      "x y",
      "id?x=1",
      "content",
      "id_1",
    ),
    fc.string(),
  );
  const paths = fc.array(part, { maxLength: 5 }).map((parts) => parts.join("/"));
  fc.assert(
    fc.property(
      fc.constantFrom(...objectKinds),
      paths,
      fc.constantFrom("GET", "POST", "DELETE"),
      (kind, rest, method) => {
        const address = findObjectAddress(method, `/v1/${kind.path}/${rest}`);
        if (address?.id !== undefined)
          expect(`${address.id}/${address.below}`).toMatch(/^[\w-]+\/(?:[\w-]+(?:\/[\w-]+)*)?$/);
      },
    ),
  );
  for (const path of [
    "/v1/conversations",
    "/v1/conversations/",
    "/v1/containers/a/files/b/c",
    "/v1/vector_storesx",
  ])
    expect(findObjectAddress("GET", path), path).toBeUndefined();
});

test("a body holds the known members alone", () => {
  const read = (text: string) => parseObjectBody(Buffer.from(text), ["name"]);
  expect([read(""), read('{"name":1}')]).toEqual([{}, { name: 1 }]);
  // Of a member that is there twice, the one that is checked is the one that is sent.
  expect(read('{"name":"a","name":"b"}')).toEqual({ name: "b" });
  for (const text of [
    "{",
    "[]",
    "null",
    '{"other":1}',
    `{"name":${"[".repeat(200)}${"]".repeat(200)}}`,
  ])
    expect(() => read(text), text).toThrow();
});
