import { expect, test } from "vitest";
import { chooseFailureTone } from "./failure-tone.ts";

test("a share of failed calls is quiet, noticed from 3 % on, and red from 20 % on", () => {
  expect(chooseFailureTone(2, 100)).toBe("");
  expect(chooseFailureTone(3, 100)).toBe("text-warn");
  expect(chooseFailureTone(19, 100)).toBe("text-warn");
  expect(chooseFailureTone(20, 100)).toBe("text-bad");
  expect(chooseFailureTone(1, 1)).toBe("text-bad");
});
