import { expect, test } from "vitest";
import { oddActs } from "./odd-acts.ts";
import { findFaultsOfAct } from "./odd-replies.ts";
import { oddVisits } from "./odd-visits.ts";

const visited = oddVisits();

test.each(oddActs)("$path: $steps stays whatever its call is answered", async (act) => {
  expect(await visited((visit) => findFaultsOfAct(act, visit))).toEqual([]);
});
