import type { Compilable } from "kysely";
import { expect, test } from "vitest";
import type { FigureSource } from "./database.ts";
import { createReplicaWatch, lagMaxMs, readWhileFresh } from "./read-replica.ts";

const mebibyte = 1_048_576;

/** A primary whose log ends at `written`, and a standby that has applied it up to `applied`. */
function servers() {
  const state = {
    now: 1_000_000,
    written: 10 * mebibyte,
    applied: (10 * mebibyte) as number | undefined | Error,
    errors: [] as string[],
  };
  const watch = createReplicaWatch(
    {
      written: async () => state.written,
      applied: async () => {
        if (state.applied instanceof Error) throw state.applied;
        return state.applied;
      },
    },
    () => state.now,
    ({ message }) => state.errors.push(message),
  );
  /** Seconds pass, each with a check and a mebibyte of changes. */
  const pass = async (seconds: number, step: () => void = () => undefined): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      state.now += 1_000;
      state.written += mebibyte;
      step();
      await watch.check();
    }
  };
  return { state, watch, pass };
}

test("a standby is not asked before the first check", async () => {
  const { watch } = servers();
  expect(watch.isFresh()).toBe(false);
  await watch.check();
  expect(watch.lagMs()).toBe(0);
  expect(watch.isFresh()).toBe(true);
});

test("the lag is the age of the newest state of the primary that the standby has reached", async () => {
  const { state, watch, pass } = servers();
  await watch.check();
  await pass(3);
  expect(watch.lagMs()).toBe(3_000);
  await pass(1, () => {
    state.applied = state.written - 2 * mebibyte;
  });
  expect(watch.lagMs()).toBe(2_000);
  await pass(1, () => {
    state.applied = state.written;
  });
  expect(watch.lagMs()).toBe(0);
});

test("a standby that applies nothing is fresh for five seconds, and the operator is told once", async () => {
  const { state, watch, pass } = servers();
  await watch.check();
  await pass(lagMaxMs / 1_000);
  expect(watch.isFresh()).toBe(true);
  await pass(30);
  expect(watch.isFresh()).toBe(false);
  expect(state.errors).toEqual([
    "lists, charts and exports are read from the primary: the standby is more than 5 s behind",
  ]);
  state.applied = state.written + mebibyte;
  await pass(1);
  expect(watch.isFresh()).toBe(true);
  state.applied = state.written;
  await pass(30);
  expect(state.errors).toHaveLength(2);
});

test("an idle primary leaves its standby fresh", async () => {
  const { state, watch } = servers();
  for (let second = 0; second < 60; second += 1) {
    state.now += 1_000;
    await watch.check();
  }
  expect(watch.lagMs()).toBe(0);
});

test("a server that answers no check, or is no standby, is not asked", async () => {
  for (const [answer, why] of [
    [new Error("connect ECONNREFUSED"), "connect ECONNREFUSED"],
    [undefined, "DATABASE_READ_URL does not lead to a standby"],
  ] as const) {
    const { state, watch, pass } = servers();
    await watch.check();
    expect(watch.isFresh()).toBe(true);
    state.applied = answer;
    await pass(1);
    expect(watch.isFresh()).toBe(false);
    await pass(10);
    expect(state.errors).toEqual([`lists, charts and exports are read from the primary: ${why}`]);
  }
});

test("a standby of another database never has the lease of this process, so it is not asked", async () => {
  const { state, watch, pass } = servers();
  state.applied = 0;
  await pass(20);
  expect(watch.isFresh()).toBe(false);
});

test("a statement that fails on the standby is answered by the primary, and the next one goes there too", async () => {
  const { watch } = servers();
  await watch.check();
  const sources: FigureSource[] = [];
  let isBroken = false;
  const answer =
    (from: string) =>
    async <Row>() => {
      if (from === "standby" && isBroken)
        throw new Error("canceling statement due to conflict with recovery");
      return [from] as Row[];
    };
  const read = readWhileFresh(watch, answer("standby"), answer("primary"), () => ({
    figuresRead: (source) => sources.push(source),
  }));
  const query = {} as Compilable<string>;
  expect(await read(query)).toEqual(["standby"]);
  isBroken = true;
  expect(await read(query)).toEqual(["primary"]);
  isBroken = false;
  expect(await read(query)).toEqual(["primary"]);
  await watch.check();
  expect(await read(query)).toEqual(["standby"]);
  expect(sources).toEqual(["replica", "failed", "lagging", "replica"]);
});
