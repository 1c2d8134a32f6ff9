import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chooseFittingModel, findWriter, type UsedAgent, usedAgents } from "./agent-writers.ts";
import { addMarked, removeMarked } from "./marked-text.ts";
import { mergeMembers, unmergeMembers } from "./merged-json.ts";

const isModel = {
  top: ['model = "m"'],
  bottom: ["[t]", "x = 1"],
  replaces: (line: string) => /^model/.test(line),
};

describe("lines of settings", () => {
  test("ours stand in front and behind, and what they replace is set aside", () => {
    expect(addMarked('model = "mine"\n[other]\ny = 2', isModel)).toMatchInlineSnapshot(`
      "# >>> tollgate: written by \`tollgate use\`, taken out by \`tollgate use --undo\` >>>
      model = "m"
      # <<< tollgate <<<
      #tollgate# model = "mine"
      [other]
      y = 2
      # >>> tollgate: written by \`tollgate use\`, taken out by \`tollgate use --undo\` >>>
      [t]
      x = 1
      # <<< tollgate <<<
      "
    `);
  });

  test("whatever stood there is there again without ours, to the byte but for the end of its last line", () => {
    const line = fc.oneof(
      fc.constantFrom("model = 1", "[t]", "", "# a comment", "x\r"),
      fc.string(),
    );
    const text = fc.array(line).map((lines) => lines.join("\n"));
    fc.assert(
      fc.property(text, (before) => {
        fc.pre(!before.includes("tollgate"));
        const after = removeMarked(addMarked(before, isModel));
        expect(after).toBe(before === "" || before.endsWith("\n") ? before : `${before}\n`);
      }),
    );
  });
});

test("without a name, the newest model of the kind that the agent is made for is used", () => {
  const offered = [
    "claude-haiku-4-5",
    "claude-sonnet-4-6",
    "claude-sonnet-4-10",
    "gpt-5.3-codex",
    "gpt-5.5",
  ];
  const choose = (agent: UsedAgent) => chooseFittingModel(findWriter(agent), offered);
  expect(usedAgents.map(choose)).toEqual([
    "claude-sonnet-4-10",
    "gpt-5.3-codex",
    undefined,
    "gpt-5.5",
    undefined,
  ]);
});

describe("members of settings", () => {
  const members = fc.dictionary(
    fc.constantFrom("a", "b", "c", "__proto__"),
    fc.oneof(
      fc.jsonValue({ maxDepth: 1 }),
      fc.dictionary(fc.constantFrom("a", "b"), fc.jsonValue({ maxDepth: 1 })),
    ),
  );

  test("what stood there is there again without ours", () => {
    fc.assert(
      fc.property(members, members, (before, ours) => {
        const merged = mergeMembers(before, ours);
        expect(unmergeMembers(merged, ours, before)).toEqual(before);
      }),
    );
  });

  test("what was changed or added since stays", () => {
    const ours = { env: { URL: "u", MODEL: "m" }, helper: "h" };
    const before = { env: { MODEL: "mine" }, theme: "dark" };
    const since = {
      ...mergeMembers(before, ours),
      theme: "light",
      helper: "theirs",
      env: { URL: "u", MODEL: "m", X: "1" },
    };
    expect(unmergeMembers(since, ours, before)).toEqual({
      env: { MODEL: "mine", X: "1" },
      theme: "light",
      helper: "theirs",
    });
  });
});
