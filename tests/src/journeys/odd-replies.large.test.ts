import { expect, test } from "vitest";
import { findFaults, oddForms, oddScreens } from "./odd-replies.ts";
import { oddVisits } from "./odd-visits.ts";

const visited = oddVisits();

test.each(oddScreens)("$path stays whatever one of its replies looks like", async (screen) => {
  expect(await visited((visit) => findFaults(screen, visit, Object.keys(oddForms)))).toEqual([]);
});
