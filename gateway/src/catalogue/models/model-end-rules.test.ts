import { describe, expect, test } from "vitest";
import { endsOf, parseModelEnds, readModelEnds, type StatedModelEnds } from "./known-model-ends.ts";
import {
  countDays,
  findEndingModels,
  formatEndingNames,
  type OfferingChannel,
} from "./model-end-rules.ts";

const day = 86_400_000;
const now = Date.parse("2026-11-23T23:59:59Z");
const ends = parseModelEnds({
  source: "a list",
  read_on: "2026-11-23",
  sellers: {
    openai: { old: "2026-11-24", older: "2026-10-01", later: "2027-06-01", far: "2028-01-01" },
    azure: { old: "2027-01-01" },
  },
});
const unsaid: StatedModelEnds = { set: new Map(), told: new Map() };
const channel = (
  id: number,
  models: string[],
  changes: Partial<OfferingChannel> = {},
): OfferingChannel => ({
  ...{ id, uuid: `u${id}`, name: `channel ${id}`, type: 1, models, mapping: {} },
  ...changes,
});
const listOf = (channels: OfferingChannel[], virtual: { name: string; targets: string[] }[] = []) =>
  findEndingModels(endsOf(ends, unsaid), channels, virtual, now).map(
    ({ model, days_left, channels: of, virtual_models }) => [
      model,
      days_left,
      of.map(({ id }) => id),
      virtual_models,
    ],
  );

describe("models that end", () => {
  test("are listed with the channels that offer them, the first to end first, and not before the last year", () => {
    expect(
      listOf([channel(1, ["later", "old", "far", "new"]), channel(2, ["older", "old"])]),
    ).toEqual([
      ["older", -53, [2], []],
      ["old", 1, [1, 2], []],
      ["later", 190, [1], []],
    ]);
  });
  test("are found behind the names that clients use, with the virtual models that reach them", () => {
    const renamed = channel(1, ["mine", "too"], { mapping: { mine: "old", too: "old" } });
    const virtual = [
      { name: "assistant", targets: ["new", "mine"] },
      { name: "other", targets: ["old"] },
    ];
    expect(listOf([renamed], virtual)).toEqual([["old", 1, [1], ["assistant"]]]);
  });
  test("end on days of their own where another company hosts them", () => {
    expect(listOf([channel(1, ["old", "later"], { type: 3 }), channel(2, ["old"])])).toEqual([
      ["old", 1, [2], []],
      ["old", 39, [1], []],
    ]);
    expect(ends.endOf(14, "old")).toBeUndefined();
    expect(ends.endOf(1, "constructor")).toBeUndefined();
  });
  test("end when an administrator says, else when the channel's own provider says, else by the list", () => {
    const end = (ends_on: string, replacement = "") => ({ ends_on, replacement });
    const stated: StatedModelEnds = {
      set: new Map([["older", end("2026-12-24", "newer")]]),
      told: new Map([
        [
          "u1",
          new Map([
            ["old", end("2026-12-01", "new")],
            ["older", end("2026-12-02")],
            ["later", end("")],
          ]),
        ],
        ["u2", new Map([["new", end("2027-01-31")]])],
      ]),
    };
    const found = findEndingModels(
      endsOf(ends, stated),
      [channel(1, ["old", "older", "later", "new"]), channel(2, ["old", "later", "new"])],
      [],
      now,
    );
    expect(
      found.map(({ model, ends_on, source, replacement, channels }) => [
        ...[model, ends_on, source, replacement],
        channels.map(({ id }) => id),
      ]),
    ).toEqual([
      ["old", "2026-11-24", "list", "", [2]],
      ["old", "2026-12-01", "provider", "new", [1]],
      ["older", "2026-12-24", "operator", "newer", [1]],
      ["new", "2027-01-31", "provider", "", [2]],
      ["later", "2027-06-01", "list", "", [2]],
    ]);
  });
  test("are told to users by the names that they call, and by the last channel that still answers", () => {
    const endOf = endsOf(ends, unsaid);
    const names = formatEndingNames(
      endOf,
      [
        channel(1, ["mine", "older", "gone", "far"], { mapping: { mine: "old", gone: "old" } }),
        channel(2, ["mine", "gone"], { mapping: { mine: "older", gone: "new" } }),
      ],
      now,
    );
    expect(names).toEqual([
      { model: "mine", ends_on: "2026-11-24", replacement: "" },
      { model: "older", ends_on: "2026-10-01", replacement: "" },
    ]);
  });
  test("count days by the calendar in UTC", () => {
    expect(countDays("2026-11-24", now)).toBe(1);
    expect(countDays("2026-11-24", now + 1_000)).toBe(0);
    expect(countDays("2026-11-24", now + day + 1_000)).toBe(-1);
  });
  test("the bundled days are days, and say where they are from", () => {
    const bundled = readModelEnds();
    expect([bundled.source, bundled.readOn]).toEqual([
      expect.stringContaining("litellm"),
      expect.stringMatching(/^20/),
    ]);
    expect(bundled.endOf(1, "gpt-4")).toBe("2026-10-23");
  });
});
