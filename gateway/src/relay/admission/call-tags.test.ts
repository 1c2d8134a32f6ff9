import { expect, test } from "vitest";
import { buildLoggedTags, collectChosenTags, createSeenValues } from "./call-tags.ts";
import { buildSentTags, findTagsInBody } from "./sent-tags.ts";

const named = (_key: string, value: string) => value;

test("our header wins over those of other gateways, and those over the body", () => {
  const body = findTagsInBody({ metadata: { team: "body", job: 7, list: [1] }, user: "u-1" });
  const headers = {
    "x-tollgate-tags": "Team=search, env=prod",
    "x-portkey-metadata": '{"team":"portkey","_user":"u-2"}',
    "helicone-property-feature": "chat",
    "cf-aig-metadata": "no json",
    "x-litellm-tags": "tier:gold",
  };
  const tags = collectChosenTags(buildSentTags(headers, body).tags, []);
  expect(Object.fromEntries(tags)).toEqual({
    ...{ team: "search", env: "prod", end_user: "u-2", feature: "chat", tier: "gold", job: "7" },
  });
});

test.each([
  [{ user: "ann" }, [["end_user", "ann"]]],
  [
    { safety_identifier: "hash", user: "ann" },
    [
      ["end_user", "hash"],
      ["end_user", "ann"],
    ],
  ],
  [
    { metadata: { user_id: `user_${"a".repeat(64)}_account_1_session_2` } },
    [["end_user", `user_${"a".repeat(59)}`]],
  ],
  [{ metadata: { "bad key": "x", good: "y", none: "" } }, [["good", "y"]]],
  [{ metadata: { note: "a,b" } }, []],
  [
    { metadata: Object.fromEntries(Array.from({ length: 90 }, (_, n) => [`k${n}`, "v"])) },
    expect.objectContaining({ length: 32 }),
  ],
  [{ messages: [] }, undefined],
  [[], undefined],
])("the body %j names %j", (body, tags) => {
  expect(findTagsInBody(body)).toEqual(tags);
});

test.each([
  "search",
  "team=",
  "=search",
  "team=a,team=b",
  "te am=x",
  "team=\u0007",
  `team=${"x".repeat(65)}`,
])("a header %j is ignored with a note", (header) => {
  const sent = buildSentTags({ "x-tollgate-tags": header });
  expect(sent.tags).toEqual([]);
  expect(sent.note).toContain("x-tollgate-tags was ignored");
});

test("of more than ten tags those that are counted stay", () => {
  const pairs = Array.from({ length: 14 }, (_, n): [string, string] => [`k${n}`, "v"]);
  const kept = [...collectChosenTags(pairs, ["k13"]).keys()];
  expect(kept).toHaveLength(10);
  expect(kept[0]).toBe("k13");
  expect(kept).not.toContain("k9");
});

test("a row says which tags are counted, and a value above the month's bound is counted with the rest and kept by name", () => {
  const seen = createSeenValues(2);
  const of = (value: string, month = 1) =>
    buildLoggedTags(
      [
        ["team", value],
        ["note", "n"],
      ],
      ["team"],
      seen.named,
      month,
    );
  expect(of("a")).toEqual({ counted: { team: "a" }, others: { note: "n" } });
  expect(of("b").counted).toEqual({ team: "b" });
  expect(of("c")).toEqual({ counted: { team: "(other)" }, others: { note: "n", team: "c" } });
  expect(of("a").counted).toEqual({ team: "a" });
  expect(of("c", 2).counted).toEqual({ team: "c" });
  expect(buildLoggedTags([["note", "n"]], [], named, 1)).toEqual({ others: { note: "n" } });
});
