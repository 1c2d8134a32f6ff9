import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { collectStartGarbage } from "./start-garbage.ts";

const garbage = (): WeakRef<object> => new WeakRef({ text: "of the start" });

test("garbage of the start is collected without any call", async () => {
  const left = garbage();
  collectStartGarbage({ afterMs: 1, idleBytesMax: Number.POSITIVE_INFINITY });
  await expect.poll(() => left.deref() === undefined).toBe(true);
});

test("a heap that calls use already is left alone", async () => {
  const left = garbage();
  collectStartGarbage({ afterMs: 1, idleBytesMax: 0 });
  await wait(200);
  expect(left.deref()).toBeDefined();
});
