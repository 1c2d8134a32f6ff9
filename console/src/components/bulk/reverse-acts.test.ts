import type { BulkRow } from "@tollgate/contract/api/bulk-verbs.ts";
import { expect, test } from "vitest";
import { restoreMember, restoreStatus, reverseActs } from "./reverse-acts.ts";

const row = (id: number, before: BulkRow["before"], more: Partial<BulkRow> = {}): BulkRow => ({
  id,
  uuid: `uuid-${id}`,
  name: "",
  skipped: null,
  before,
  after: {},
  ...more,
});
const undoPriority = restoreMember("set_priority", "priority");

test("rows that had the same value get it back in one request, and skipped rows stay", () => {
  const skipped = { code: "bulk_unchanged", message: "" };
  const rows = [
    row(1, { priority: 0 }),
    row(2, { priority: 5 }),
    row(3, { priority: 0 }),
    row(4, { priority: 9 }, { skipped }),
  ];
  expect(reverseActs(rows, undoPriority)).toEqual([
    { ids: ["uuid-1", "uuid-3"], request: { verb: "set_priority", priority: 0 } },
    { ids: ["uuid-2"], request: { verb: "set_priority", priority: 5 } },
  ]);
});

test("nothing is taken back where one row cannot be restored", () => {
  // Status 3: the gateway had disabled it, which no request can do.
  expect(
    reverseActs([row(1, { status: 1 }), row(2, { status: 3 })], restoreStatus),
  ).toBeUndefined();
  expect(reverseActs([row(1, {})], undoPriority)).toBeUndefined();
  expect(reverseActs([row(1, { priority: 0 })], undefined)).toBeUndefined();
});

test("an act that changed nothing, or rows of very many values, offer no way back", () => {
  expect(reverseActs([], undoPriority)).toBeUndefined();
  const rows = Array.from({ length: 21 }, (_, id) => row(id, { priority: id }));
  expect(reverseActs(rows, undoPriority)).toBeUndefined();
});
