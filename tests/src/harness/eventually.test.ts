import { expect, test } from "vitest";
import { eventually } from "./eventually.ts";

test("an assertion that passes later passes, and its value comes back", async () => {
  let tries = 0;
  const value = await eventually(
    () => {
      tries += 1;
      expect(tries).toBe(3);
      return "here";
    },
    { everyMs: 1 },
  );
  expect(value).toBe("here");
});

test("an assertion that never passes fails with its own reason", async () => {
  const never = () => {
    throw new Error("still not");
  };
  await expect(eventually(never, { timeoutMs: 5, everyMs: 1 })).rejects.toThrow("still not");
});
