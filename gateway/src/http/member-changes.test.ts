import { expect, test } from "vitest";
import { buildMemberChanges } from "./member-changes.ts";

test("an edit is told by the members that differ, with their values before and after", () => {
  const row = {
    name: "West",
    status: 1,
    models: "a,b",
    note: null as string | null,
    updated_at: 5,
  };
  expect(
    buildMemberChanges(row, { name: "West", status: 2, note: "resting", updated_at: 6 }),
  ).toEqual({
    status: { from: 1, to: 2 },
    note: { from: null, to: "resting" },
  });
  expect(buildMemberChanges(row, { models: "a,b", status: undefined })).toEqual({});
});
