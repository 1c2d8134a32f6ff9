import * as fc from "fast-check";
import { expect, test } from "vitest";
import { McpFailure } from "./mcp-failure.ts";
import { endOf } from "./tool-call-end.ts";

const price = fc.nat({ max: 1_000_000 });

test("a result costs the price, whether its client is still there or not", { tags: ["MC-02"] }, () => {
  fc.assert(
    fc.property(price, fc.boolean(), fc.constantFrom(undefined, false), (units, hasLeft, isError) => {
      const end = endOf({ result: { content: [], isError } }, units, hasLeft);
      expect([end.charge, end.outcome]).toEqual([units, hasLeft ? "client_left" : "success"]);
    }),
  );
});

test("everything else is free of charge", { tags: ["MC-02"] }, () => {
  const ends = fc.oneof(
    fc.constant({ result: { isError: true, content: [] } }),
    fc.constant({ result: { resultType: "input_required", inputRequests: {} } }),
    fc.record({ error: fc.record({ code: fc.integer(), message: fc.string() }) }),
    fc
      .constantFrom("blocked", "unreachable", "silent", "refused", "bad_answer", "too_large")
      .map((kind) => ({ failure: new McpFailure(kind, "10.0.0.5 refused") })),
  );
  fc.assert(
    fc.property(ends, price, fc.boolean(), (ended, units, hasLeft) => {
      const { charge, content } = endOf(ended, units, hasLeft);
      expect(charge).toBe(0);
      // What users read names no host.
      expect(content).not.toContain("10.0.0.5");
    }),
  );
});
