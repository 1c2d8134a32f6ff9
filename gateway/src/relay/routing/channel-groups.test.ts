import { expect, test } from "vitest";
import { readReasonWithGroup } from "./channel-groups.ts";

test("a reason names the group in whose name a channel is tried, where the key names groups", () => {
  expect(readReasonWithGroup("cheap", "priority 9")).toBe("group cheap: priority 9");
  expect(readReasonWithGroup(undefined, "priority 9")).toBe("priority 9");
});
