import {
  type VirtualModel,
  virtualModelInput,
} from "@tollgate/contract/catalogue/virtual-models.ts";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import {
  addCanary,
  buildDraft,
  buildInput,
  computeNextCanaryStep,
  type DraftTier,
  findCanaryPercent,
  isSameDraft,
  listTargetShares,
  readDraft,
} from "./virtual-model-draft.ts";

const targets = (...weights: string[]) =>
  weights.map((weight, key) => ({ key, model: `m${key}`, weight }));
const tier = (...weights: string[]): DraftTier => ({
  key: 0,
  strategy: "weights",
  targets: targets(...weights),
});

describe("the draft of a virtual model", () => {
  test("that was read is sent as it was", () => {
    const input = fc.record({
      strategy: fc.constantFrom("weights", "cheapest", "fastest", "least_busy"),
      weights: fc.array(fc.integer({ min: 0, max: 1_000_000 }), { minLength: 1, maxLength: 10 }),
    });
    fc.assert(
      fc.property(fc.array(input, { minLength: 1, maxLength: 3 }), (made) => {
        const sent = z.parse(virtualModelInput, {
          name: "assistant",
          tiers: made.map(({ strategy, weights }, place) => ({
            strategy,
            targets: weights.map((weight, index) => ({ model: `m${place}.${index}`, weight })),
          })),
        });
        const stored: VirtualModel = {
          ...sent,
          id: 1,
          uuid: "u",
          unserved: [],
          managed_by: "",
          created_at: 0,
          updated_at: 0,
        };
        expect(buildInput(readDraft(stored))).toEqual(sent);
        expect(isSameDraft(readDraft(stored), readDraft(stored))).toBe(true);
      }),
    );
  });

  test("with a weight that is no number cannot be sent, and differs from every other", () => {
    for (const weight of ["", "x", "-1", "1.5", "1000001", "99999999"]) {
      const draft = { ...buildDraft(), tiers: [tier(weight)] };
      expect([weight, buildInput(draft), isSameDraft(draft, draft)]).toEqual([
        weight,
        undefined,
        false,
      ]);
    }
  });

  test("gives each target its share of the calls, alike where no weight counts", () => {
    expect(listTargetShares(targets("99", "1"))).toEqual([0.99, 0.01]);
    expect(listTargetShares(targets("0", "0"))).toEqual([0.5, 0.5]);
    expect(listTargetShares(targets("3", "typing"))).toEqual([1, 0]);
  });
});

describe("a canary", () => {
  test("is a tier that draws between two targets", () => {
    expect(findCanaryPercent(tier("99", "1"))).toBe(1);
    expect(findCanaryPercent(tier("1", "1", "1"))).toBeUndefined();
    expect(findCanaryPercent({ ...tier("1", "1"), strategy: "fastest" })).toBeUndefined();
  });

  test("gets exactly the percentage that was chosen", () => {
    for (let percent = 0; percent <= 100; percent += 1) {
      expect(findCanaryPercent(addCanary(tier("7", "9"), percent))).toBe(percent);
    }
  });

  test("grows step by step to all calls", () => {
    const steps = [0];
    while ((steps.at(-1) ?? 100) < 100) steps.push(computeNextCanaryStep(steps.at(-1) ?? 100));
    expect(steps).toEqual([0, 1, 2, 5, 10, 25, 50, 100]);
    expect(computeNextCanaryStep(30)).toBe(50);
    expect(computeNextCanaryStep(100)).toBe(100);
  });
});
