import { expect, test } from "vitest";
import { buildEntityIds, readEntityRef, readShortEntityRef } from "./entity-ids.ts";

test("an entity is referenced by its uuid, else by its id, and in bodies by both", () => {
  expect(readEntityRef({ id: 3, uuid: "u" })).toBe("u");
  expect(readEntityRef({ id: 3 })).toBe("3");
  expect(buildEntityIds({ id: 3, uuid: "u", name: "x" })).toEqual({ id: 3, uuid: "u" });
  expect(buildEntityIds({ id: 3, name: "x" })).toEqual({ id: 3 });
  expect(buildEntityIds({ id: Number.NaN, uuid: "u" })).toEqual({ uuid: "u" });
  expect(readEntityRef({ id: 3, uuid: "" })).toBe("3");
  expect(readEntityRef({ id: Number.NaN, uuid: "" })).toBe("");
});

test("an entity without a name is shown by a short reference", () => {
  expect(readShortEntityRef({ id: 3, uuid: "0199aa10-1111-7000-8000-0000000000aa" })).toBe("3");
  expect(readShortEntityRef({ uuid: "0199aa10-1111-7000-8000-0000000000aa" })).toBe("000000aa");
});
