import * as fc from "fast-check";
import { expect, test } from "vitest";
import { McpFailure } from "./mcp-failure.ts";
import { buildToolCallEnd } from "./tool-call-end.ts";

const price = fc.nat({ max: 1_000_000 });

test("a result costs the price, whether its client is still there or not", {
  tags: ["MC-02"],
}, () => {
  fc.assert(
    fc.property(
      price,
      fc.boolean(),
      fc.constantFrom(undefined, false),
      (units, hasLeft, isError) => {
        const end = buildToolCallEnd({ result: { content: [], isError } }, units, hasLeft);
        expect([end.charge, end.outcome]).toEqual([units, hasLeft ? "client_left" : "success"]);
      },
    ),
  );
});

test.each([
  ["a result", { result: { content: [] } }, "success", 200, "", ""],
  [
    "a question",
    { result: { resultType: "input_required" } },
    "success",
    200,
    "The tool asks for input",
    "",
  ],
  [
    "an error of the tool",
    { result: { isError: true } },
    "failed",
    200,
    "The tool reported an error",
    undefined,
  ],
  [
    "an error of the server",
    { error: { code: -32_603, message: "no disk" } },
    "failed",
    200,
    "The MCP server answered with an error: no disk",
    undefined,
  ],
  [
    "a failure on the way",
    { failure: new McpFailure("bad_answer", "status 503 of 10.0.0.5", 503) },
    "failed",
    503,
    expect.not.stringContaining("10.0.0.5"),
    "status 503 of 10.0.0.5",
  ],
])(
  "%s is told to its caller and to administrators",
  (_, ended, outcome, status, content, detail) => {
    const end = buildToolCallEnd(ended, 9, false);
    expect(end).toMatchObject({ outcome, status, content });
    // Where the caller may read the detail, both read the same.
    expect(end.detail).toBe(detail ?? end.content);
    expect(buildToolCallEnd(ended, 9, true)).toEqual({ ...end, outcome: "client_left" });
  },
);

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
      const { charge, content } = buildToolCallEnd(ended, units, hasLeft);
      expect(charge).toBe(0);
      // What users read names no host.
      expect(content).not.toContain("10.0.0.5");
    }),
  );
});
