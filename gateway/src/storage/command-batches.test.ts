import { afterEach, expect, test, vi } from "vitest";
import { createCommandBatches } from "./command-batches.ts";
import { StorageUnavailable } from "./database.ts";

afterEach(() => {
  vi.useRealTimers();
});

/**
 * Batches wait until they are let go; commands named `bad` fail, and so does every batch with one.
 */
function world(options: { sizeMax?: number; inFlightMax?: number; patienceMs?: number } = {}) {
  const together: string[][] = [];
  const alone: string[] = [];
  const waiting: (() => void)[] = [];
  let failure: Error = new Error("a command is at fault");
  const send = createCommandBatches<string, string>({
    runTogether: async (commands) => {
      together.push([...commands]);
      await new Promise<void>((resolve) => waiting.push(resolve));
      if (commands.includes("bad")) throw failure;
      return commands.map((command) => `${command} done`);
    },
    runAlone: async (command, isRepeated) => {
      alone.push(isRepeated ? `${command} again` : command);
      await new Promise<void>((resolve) => waiting.push(resolve));
      if (command === "bad") throw failure;
      return `${command} done`;
    },
    delayMs: 0,
    sizeMax: 3,
    inFlightMax: 1,
    patienceMs: 0,
    ...options,
  });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return {
    send,
    together,
    alone,
    turn,
    failWith: (error: Error) => {
      failure = error;
    },
    /** Lets everything end that is under way, and what that starts. */
    async finish() {
      for (await turn(); waiting.length > 0; await turn()) for (const go of waiting.splice(0)) go();
    },
  };
}

test("a single command runs alone", async () => {
  const { send, alone, together, finish } = world();
  const result = send("a");
  await finish();
  expect([await result, alone, together]).toEqual(["a done", ["a"], []]);
});

test("commands of one turn run together, up to a size, and each gets its own result", async () => {
  const { send, together, finish } = world();
  const results = Promise.all(["a", "b", "c", "d", "e"].map(send));
  await finish();
  expect(await results).toEqual(["a done", "b done", "c done", "d done", "e done"]);
  expect(together).toEqual([
    ["a", "b", "c"],
    ["d", "e"],
  ]);
});

test("what comes while batches are under way waits and then goes together", async () => {
  const { send, alone, together, turn, finish } = world({ sizeMax: 10 });
  const first = send("a");
  await turn();
  const later = [send("b")];
  await turn();
  later.push(send("c"));
  await turn();
  expect([alone, together]).toEqual([["a"], []]);
  await finish();
  expect(await Promise.all([first, ...later])).toEqual(["a done", "b done", "c done"]);
  expect(together).toEqual([["b", "c"]]);
});

test("a batch waits for the one before it, but no longer than its patience, and not once it is full", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "performance"] });
  const { send, alone, together, turn, finish } = world({ inFlightMax: 3, patienceMs: 10 });
  const results = [send("a")];
  await turn();
  results.push(send("b"));
  await turn();
  await vi.advanceTimersByTimeAsync(9);
  results.push(send("c"));
  await turn();
  expect([alone, together]).toEqual([["a"], []]);
  await vi.advanceTimersByTimeAsync(1);
  expect(together).toEqual([["b", "c"]]);
  results.push(...["d", "e", "f"].map(send));
  expect(together).toEqual([
    ["b", "c"],
    ["d", "e", "f"],
  ]);
  await finish();
  expect(await Promise.all(results)).toEqual([
    "a done",
    "b done",
    "c done",
    "d done",
    "e done",
    "f done",
  ]);
});

test("a command at fault fails alone: all others of its batch are repeated and end well", async () => {
  const { send, alone, finish } = world();
  const results = Promise.allSettled(["a", "bad", "b"].map(send));
  await finish();
  expect((await results).map(({ status }) => status)).toEqual([
    "fulfilled",
    "rejected",
    "fulfilled",
  ]);
  expect(alone).toEqual(["a again", "bad again", "b again"]);
});

test("without storage a batch fails at once, and later ones are sent all the same", async () => {
  const { send, alone, failWith, finish } = world();
  failWith(new StorageUnavailable("away"));
  const results = Promise.allSettled(["a", "bad"].map(send));
  await finish();
  expect((await results).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(alone).toEqual([]);
  const later = send("c");
  await finish();
  expect(await later).toBe("c done");
});
