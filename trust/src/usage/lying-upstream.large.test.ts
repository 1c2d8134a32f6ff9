// The same properties as the short form, with far more lies.
import { describe, test } from "vitest";
import { honestPairs } from "./honest-upstream.ts";
import { checkCeilings, checkSeen } from "./lying-upstream.ts";

const liesEach = 300;

describe.each(honestPairs)("$name for a client of $client, counting whatever it likes", (pair) => {
  test(
    "takes no more than the ceilings with 300 lies, whole and streamed",
    { tags: ["S2-02"] },
    () => checkCeilings(pair, liesEach),
  );
  test("takes no more than what was seen with 300 lies on another host", { tags: ["S2-02"] }, () =>
    checkSeen(pair, liesEach),
  );
});
