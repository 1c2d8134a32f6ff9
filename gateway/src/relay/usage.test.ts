import { describe, expect, test } from "vitest";
import { noUsage } from "../money/price.ts";
import { usageFrom } from "./shapes/open-ai-usage.ts";
import { chargeable } from "./usage.ts";

describe("what is charged", () => {
  const estimate = { ...noUsage, input: 100, output: 50 };
  test("is the upstream's word while it is believable", () => {
    const { usage, note } = chargeable(usageFrom({ prompt_tokens: 1_400, completion_tokens: 1_200 }), estimate);
    expect([usage.input, usage.output, note]).toEqual([1_400, 1_200, ""]);
  });
  test.each([
    { prompt_tokens: 1_401, completion_tokens: 1 },
    { prompt_tokens: 1, completion_tokens: 1_201 },
  ])("is the estimate when the upstream claims %j", (wire) => {
    expect(chargeable(usageFrom(wire), estimate)).toMatchObject({
      usage: estimate,
      note: expect.stringContaining("claimed"),
    });
  });
  test("may contain any amount of declared reasoning", () => {
    const wire = {
      prompt_tokens: 10,
      completion_tokens: 9_000,
      completion_tokens_details: { reasoning_tokens: 8_900 },
    };
    expect(chargeable(usageFrom(wire), estimate)).toMatchObject({ usage: { output: 9_000 }, note: "" });
  });
  test("is the estimate when there is no usage at all, and says so", () => {
    expect(chargeable(undefined, estimate)).toMatchObject({ usage: estimate, note: expect.stringContaining("none") });
  });
});
