// The same property with far more answers than the short form tries.
import { describe, test } from "vitest";
import { checkEndings, checkWholeStreams, honestPairs } from "./honest-upstream.ts";

const answersEach = 300;

describe.each(honestPairs)("$name for a client of $client", (pair) => {
  test("hundreds of whole answers cost exactly what was counted", { tags: ["S2-02"] }, async () => {
    await checkWholeStreams(pair, answersEach);
  });
  test.each(["left", "cut"] as const)(
    "hundreds of answers, %s at each event, cost what was delivered and what was counted",
    { tags: ["S2-01"] },
    (ending) => checkEndings(pair, ending, answersEach),
  );
});
