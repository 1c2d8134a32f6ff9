import { expect, test } from "vitest";
import { createPerUserQueue } from "./per-user-queue.ts";

const later = () => new Promise((resolve) => setTimeout(resolve, 1));

test("runs one call per user at a time, whatever the outcome of the previous one, and bounds the queue", {
  tags: ["F-62"],
}, async () => {
  const run = createPerUserQueue();
  let running = 0;
  let concurrentMax = 0;
  const work = async () => {
    running += 1;
    concurrentMax = Math.max(concurrentMax, running);
    await later();
    running -= 1;
    if (concurrentMax === 1) throw new Error("the first fails");
  };
  const all = await Promise.allSettled(Array.from({ length: 7 }, () => run(1, work)));
  expect(concurrentMax).toBe(1);
  const codes = all.map((one) =>
    one.status === "rejected" ? (one.reason.code ?? "failed") : "done",
  );
  expect(codes).toEqual([
    ...Array<string>(5).fill("failed"),
    "too_many_requests",
    "too_many_requests",
  ]);
  expect(await run(1, async () => "again")).toBe("again");
});

test("users do not wait for each other", async () => {
  const run = createPerUserQueue();
  let release = () => {};
  const slow = run(1, () => new Promise<void>((resolve) => (release = resolve)));
  expect(await run(2, async () => "quick")).toBe("quick");
  release();
  await slow;
});
