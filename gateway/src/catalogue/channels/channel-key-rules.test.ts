import { expect, test } from "vitest";
import {
  hasOtherEnabledKeys,
  hasSeveralKeys,
  listKeyRows,
  listKeysToEnable,
  splitKeyLines,
} from "./channel-key-rules.ts";

const row = (place: number, status: number, more = {}) => ({
  channel_uuid: "u",
  place,
  hint: "",
  status,
  reason: "",
  changed_at: 0,
  ...more,
});

test("lines are separate keys only where the settings say so", () => {
  expect(['{"multi_key":true}', '{"multi_key":false}', "{}", ""].map(hasSeveralKeys)).toEqual([
    true,
    false,
    false,
    false,
  ]);
  expect(splitKeyLines(" a\n\nb\r\na\n")).toEqual(["a", "b"]);
  expect(splitKeyLines('{"client_id":\n"c"}')).toEqual(['{"client_id":\n"c"}']);
  expect(splitKeyLines("")).toEqual([]);
});

test("a key that the channel had before keeps its state, whatever its line", () => {
  const before = ["key-aaaa-1111", "key-bbbb-2222"];
  const rows = [row(1, 3, { reason: "refused", changed_at: 7 }), row(2, 2, { changed_at: 8 })];
  expect(
    listKeyRows(
      { uuid: "u", type: 1 },
      ["key-new-3333", "key-bbbb-2222", "key-aaaa-1111"],
      before,
      rows,
    ),
  ).toEqual([
    row(1, 1, { hint: "3333" }),
    row(2, 2, { hint: "2222", changed_at: 8 }),
    row(3, 3, { hint: "1111", reason: "refused", changed_at: 7 }),
  ]);
});

test("enabling a channel without enabled keys enables those that were disabled automatically", () => {
  expect(listKeysToEnable([row(1, 3), row(2, 2), row(3, 3)]).map(({ place }) => place)).toEqual([
    1, 3,
  ]);
  expect(listKeysToEnable([row(1, 3), row(2, 1)])).toEqual([]);
});

test("a channel works without a key while another one is enabled", () => {
  expect(hasOtherEnabledKeys([row(1, 1), row(2, 1)], 1)).toBe(true);
  expect(hasOtherEnabledKeys([row(1, 1), row(2, 3), row(3, 2)], 1)).toBe(false);
});
