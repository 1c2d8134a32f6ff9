// The same property with far more answers than the short form tries.
import { describe, test } from "vitest";
import { checkEndings, checkReplies, checkWholeStreams, honestPairs } from "./honest-upstream.ts";

/** Each ends at each of its events: 100 are some 80,000 streams. */
const answersEach = 100;

describe.each(honestPairs)("$name for a client of $client", (pair) => {
  test("a hundred whole answers cost exactly what was counted", { tags: ["S2-02"] }, async () => {
    await checkWholeStreams(pair, answersEach);
  });
  test("a hundred whole replies cost exactly what was counted", { tags: ["S2-02"] }, async () => {
    await checkReplies(pair, answersEach);
  });
  test.each(["left", "cut"] as const)(
    "a hundred answers, %s at each event, cost what was delivered and what was counted",
    { tags: ["S2-01"] },
    (ending) => checkEndings(pair, ending, answersEach),
  );
});
