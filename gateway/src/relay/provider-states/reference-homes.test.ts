import { expect, test } from "vitest";
import { buildHomes, type FoundReference } from "./reference-homes.ts";

const tags = ["S2-12"];
const found = (
  id: string,
  homes: Record<number, string>,
  more: object = {},
  tokens = 0,
): FoundReference => ({
  reference: { kind: "item", id, param: "input", ...more },
  own: Object.entries(homes).map(([channel, key_hash]) => ({
    channel_id: Number(channel),
    key_hash,
    context_tokens: tokens === 0 ? null : tokens + Number(channel),
    id_hash: id,
    kind: "item",
    user_id: 1,
    team_id: 0,
    model_name: "m",
    created_at: 0,
    used_at: 0,
  })),
});
const idsOf = (homes: ReturnType<typeof buildHomes>) => homes.unknown.map(({ id }) => id);

test("an id that no row knows has no home", { tags }, () => {
  const homes = buildHomes([found("a", {}), found("b", {})]);
  expect([idsOf(homes), homes.homes, homes.apart, homes.contextTokens]).toEqual([
    ["a", "b"],
    undefined,
    undefined,
    [],
  ]);
});

test("the homes of several are those that keep all of them", { tags }, () => {
  const homes = buildHomes([
    found("a", { 1: "k", 2: "l" }),
    found("b", { 2: "l", 3: "m" }),
    found("c", {}),
  ]);
  expect([...(homes.homes ?? [])]).toEqual([[2, "l"]]);
  expect([idsOf(homes), homes.apart]).toEqual([["c"], undefined]);
});

test("the first that is kept elsewhere is told", { tags }, () => {
  const homes = buildHomes([
    found("a", { 1: "k" }),
    found("b", { 2: "l" }),
    found("c", { 1: "k" }),
  ]);
  expect(homes.apart?.id).toBe("b");
});

test("what is written out is at home everywhere, but needs an owner", { tags }, () => {
  const written = { isWrittenOut: true };
  const homes = buildHomes([
    found("a", { 1: "k" }, written),
    found("b", { 2: "l" }),
    found("c", {}, written),
  ]);
  expect([...(homes.homes ?? [])]).toEqual([[2, "l"]]);
  expect(idsOf(homes)).toEqual(["c"]);
});

test("the larger of two counts is held for, of the homes that are left", () => {
  expect(buildHomes([found("a", { 1: "k", 2: "l" }, {}, 10)]).contextTokens).toEqual([12]);
  expect(
    buildHomes([found("a", { 1: "k" }), found("b", { 1: "k", 2: "l" }, {}, 10)]).contextTokens,
  ).toEqual([11]);
});
