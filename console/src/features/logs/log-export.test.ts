import type { Log } from "@tollgate/contract/logs.ts";
import { expect, test } from "vitest";
import { exportPageSize, readAll } from "./log-export.ts";

const rows = (count: number) => Array.from({ length: count }, (_, id) => ({ id }) as Log);

test("pages are read until one is not full", async () => {
  const asked: number[] = [];
  const told: number[] = [];
  const all = await readAll(
    async (p) => {
      asked.push(p);
      return { items: rows(p < 2 ? exportPageSize : 7) };
    },
    (count) => told.push(count),
    new AbortController().signal,
  );
  expect(all).toHaveLength(207);
  expect(asked).toEqual([0, 1, 2]);
  expect(told).toEqual([100, 200, 207]);
});

test("a full last page costs one more question, an empty list only one", async () => {
  const signal = new AbortController().signal;
  expect(
    await readAll(
      async (p) => ({ items: rows(p === 0 ? exportPageSize : 0) }),
      () => {},
      signal,
    ),
  ).toHaveLength(100);
  expect(
    await readAll(
      async () => ({ items: [] }),
      () => {},
      signal,
    ),
  ).toEqual([]);
});

test("it can be stopped between two pages", async () => {
  const stop = new AbortController();
  const reading = readAll(
    async () => {
      stop.abort();
      return { items: rows(exportPageSize) };
    },
    () => {},
    stop.signal,
  );
  await expect(reading).rejects.toThrow();
});
