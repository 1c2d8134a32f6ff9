import { unlimited } from "@tollgate/gateway/relay/formats/reported-usage.ts";
import { describe, expect, test } from "vitest";
import { checkEndings, checkReplies, checkWholeStreams, honestPairs } from "./honest-upstream.ts";

describe.each(honestPairs)("$name for a client of $client", (pair) => {
  test("is paid exactly, once it has counted", { tags: ["S2-01", "S2-02", "S2-25"] }, async () => {
    await checkWholeStreams(pair, 16);
  });

  test("is paid exactly for a whole reply", { tags: ["S2-02", "S2-25"] }, async () => {
    await checkReplies(pair, 16);
  });

  test.each(["left", "cut"] as const)(
    "is paid for all that it delivered, and for all that it counted, when the stream is %s at any event",
    { tags: ["S2-01", "S2-03", "S2-15", "F-47"] },
    (ending) => checkEndings(pair, ending, 5),
  );
});

test("the ceiling is far above what these providers count", () => {
  expect(unlimited.promptMax).toBeGreaterThanOrEqual(1_000_000);
});
