import { expect, test } from "vitest";
import { readChannelState } from "./read-channel-state.ts";

test.each([
  [1, 0, "active"],
  [1, -1, "paused"],
  [0, 0, "active"],
  [2, 5, "disabled"],
  [2, -5, "disabled"],
  [3, -5, "autoDisabled"],
  [9, 0, "active"],
])("status %i with priority %i is shown as %s", (status, priority, state) => {
  expect(readChannelState({ status, priority })).toBe(state);
});

test("a missing priority is 0", () => {
  expect(readChannelState({ status: 1, priority: null })).toBe("active");
});
