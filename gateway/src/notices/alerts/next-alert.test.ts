import fc from "fast-check";
import { expect, test } from "vitest";
import { type AlertMemory, type AlertStep, applyEvent, applyTime } from "./next-alert.ts";

const minute = 60_000;
const hour = 60 * minute;

interface Act {
  state?: "firing" | "resolved";
  /** Milliseconds since the act before. */
  after: number;
}

/** Events and looks at the clock, one after the other, and the notices that they send. */
function run(
  acts: readonly Act[],
  { isOccurrence = false, remindsAfterDays = 1, start = 1_000 * hour, mutedUntil = 0 } = {},
) {
  let memory: AlertMemory | undefined;
  let at = start;
  const sent: { transition: string; since: number; at: number }[] = [];
  const take = (step: AlertStep | undefined) => {
    if (!step) return;
    memory = step.memory;
    if (step.transition) sent.push({ transition: step.transition, since: step.memory.since, at });
  };
  for (const { state, after } of acts) {
    at += after;
    if (state) take(applyEvent(memory, { state, at, facts: "{}", value: null, threshold: null }));
    if (memory && mutedUntil > 0) memory = { ...memory, muted_until: mutedUntil };
    if (memory) take(applyTime(memory, at, { isOccurrence, remindsAfterDays }));
  }
  return { memory, sent, transitions: sent.map(({ transition }) => transition) };
}

test("a thousand events of one cause make one notice", { tags: ["AL-01"] }, () => {
  const { memory, transitions } = run(
    Array.from({ length: 1_000 }, () => ({ state: "firing", after: 10 }) as const),
  );
  expect(transitions).toEqual(["firing"]);
  expect(memory?.count).toBe(1_000);
});

test("the end is told once, and nothing is told of an end without a beginning", () => {
  expect(run([{ state: "resolved", after: 0 }]).memory).toBeUndefined();
  const ended = run([
    { state: "firing", after: 0 },
    { state: "resolved", after: minute },
    { state: "resolved", after: minute },
    { after: minute },
  ]);
  expect(ended.transitions).toEqual(["firing", "resolved"]);
});

test("an alert that lasts is told once more, after a day", () => {
  const { transitions } = run([
    { state: "firing", after: 0 },
    ...Array.from({ length: 100 }, () => ({ after: hour })),
  ]);
  expect(transitions).toEqual(["firing", "reminder"]);
});

test("a rule may have its reminder later", () => {
  const acts = [
    { state: "firing", after: 0 } as const,
    ...Array.from({ length: 10 }, () => ({ after: 24 * hour })),
  ];
  const { sent } = run(acts, { remindsAfterDays: 6 });
  expect(sent.map(({ transition, at, since }) => [transition, (at - since) / (24 * hour)])).toEqual(
    [
      ["firing", 0],
      ["reminder", 6],
    ],
  );
});

test("an alert about occurrences ends silently after a day without one", () => {
  const acts = [{ state: "firing", after: 0 } as const, { after: 23 * hour }, { after: hour }];
  const { memory, transitions } = run(acts, { isOccurrence: true });
  expect([memory?.state, transitions]).toEqual(["resolved", ["firing"]]);
});

test("more than three changes within an hour are told as unsteady, then not until an hour without a change", () => {
  const storm = Array.from({ length: 40 }, (_, index) => ({
    state: index % 2 === 0 ? ("firing" as const) : ("resolved" as const),
    after: minute,
  }));
  const calm = Array.from({ length: 61 }, () => ({ after: minute }));
  expect(run(storm).transitions).toEqual(["firing", "resolved", "firing", "flapping"]);
  expect(run([...storm, ...calm]).transitions.at(-1)).toBe("resolved");
  expect(run([...storm, { state: "firing", after: minute }, ...calm]).transitions.slice(4)).toEqual(
    ["firing"],
  );
});

test("a muted alert is silent, and told when it still fires afterwards", () => {
  const mutedUntil = 1_000 * hour + hour;
  const acts = [
    { state: "firing", after: 0 } as const,
    { after: 30 * minute },
    { after: 31 * minute },
  ];
  expect(run(acts.slice(0, 2), { mutedUntil }).transitions).toEqual([]);
  expect(run(acts, { mutedUntil }).transitions).toEqual(["firing"]);
});

const someActs = fc.array(
  fc.record({
    state: fc.constantFrom("firing" as const, "resolved" as const, undefined),
    // A clock may be set back.
    after: fc.integer({ min: -2 * hour, max: 3 * hour }),
  }),
  { maxLength: 80 },
) as fc.Arbitrary<Act[]>;

test("no transition is told twice, whatever happens and however the clock moves", {
  tags: ["AL-01"],
}, () => {
  fc.assert(
    fc.property(someActs, fc.boolean(), (acts, isOccurrence) => {
      const { sent } = run(acts, { isOccurrence });
      const names = sent.map(({ transition, since }) => `${transition} ${since}`);
      expect(new Set(names).size).toBe(names.length);
    }),
  );
});

test("what fires and is neither muted nor unsteady was told, and what was told and ended was told to have ended", () => {
  fc.assert(
    fc.property(someActs, (acts) => {
      const { memory, sent } = run([...acts, { after: 30 * hour }]);
      const told = sent
        .filter(({ since }) => since === memory?.since)
        .map(({ transition }) => transition);
      if (memory?.state === "firing") expect(told).toContain("firing");
      else if (sent.length > 0) expect(memory?.told_since).toBe(0);
    }),
  );
});
