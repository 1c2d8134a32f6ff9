import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { collectGarbage } from "../../../tests/src/harness/collect-garbage.ts";
import { createBodyMemoryBudget } from "../http/body-memory-budget.ts";
import { readBody } from "./read-body.ts";
import { RelayRefused } from "./wire/relay-refusal.ts";

const bodyMax = 1_000_000;

/** In a function of its own, so that nothing here keeps the part. */
function push(request: IncomingMessage, text: string): WeakRef<Buffer> {
  const part = Buffer.alloc(50_000, text);
  request.push(part);
  return new WeakRef(part);
}

test("a request that is still being answered keeps its body once, without the parts in which it came", async () => {
  const request = new IncomingMessage(new Socket());
  const reading = readBody(request, bodyMax, { room: createBodyMemoryBudget().reserve(1) });
  const parts = [push(request, "a"), push(request, "b")];
  request.push(null);
  const body = await reading;
  expect(body.toString()).toBe("a".repeat(50_000) + "b".repeat(50_000));
  await turn();
  collectGarbage();
  expect(parts.map((part) => part.deref())).toEqual([undefined, undefined]);
  expect(request.readableEnded).toBe(true);
});

const mebi = 1024 * 1024;

function requestOf(headers: Record<string, string> = {}): IncomingMessage {
  return Object.assign(new IncomingMessage(new Socket()), { headers });
}

const refusalOf = (reading: Promise<unknown>) =>
  reading.then(
    () => undefined,
    (error: unknown) => (error as RelayRefused).refusal,
  );

test("a body that its user has no room for is refused where it is announced, or when it has come", {
  tags: ["FT-34"],
}, async () => {
  const budget = createBodyMemoryBudget(8 * mebi, mebi);
  const announced = requestOf({ "content-length": String(2 * mebi) });
  expect(await refusalOf(readBody(announced, 4 * mebi, { room: budget.reserve(1) }))).toMatchObject(
    {
      status: 429,
      code: "too_much_at_once",
      closesConnection: true,
    },
  );
  const chunked = requestOf();
  const reading = refusalOf(readBody(chunked, 4 * mebi, { room: budget.reserve(1) }));
  for (let n = 0; n < 20; n += 1) chunked.push(Buffer.alloc(100_000));
  expect(await reading).toMatchObject({ code: "too_much_at_once" });
  const others = Array.from({ length: 8 }, (_, n) => budget.reserve(2 + n).take(mebi));
  expect(others.filter((shortage) => shortage === undefined)).toHaveLength(8);
});

test("who cannot pay is asked for once, with the beginning, and the rest waits for the answer", {
  tags: ["FT-35"],
}, async () => {
  const request = requestOf();
  const asked: number[] = [];
  const { promise: paid, resolve } = Promise.withResolvers<void>();
  const room = createBodyMemoryBudget().reserve(1);
  const reading = readBody(request, mebi, {
    room,
    refuseUnpaid(beginning) {
      asked.push(beginning.length);
      return paid;
    },
  });
  for (let n = 0; n < 4; n += 1) request.push(Buffer.alloc(40_000));
  request.push(null);
  await turn();
  expect([asked, request.isPaused()]).toEqual([[80_000], true]);
  resolve();
  expect((await reading).length).toBe(160_000);
  expect(asked).toHaveLength(1);
});

test("a small body is read without asking, and a refused one is drained for a while", {
  tags: ["FT-35"],
}, async () => {
  const refuse = () => {
    throw new RelayRefused({ status: 403, type: "insufficient_quota", message: "no" });
  };
  const room = () => createBodyMemoryBudget().reserve(1);
  const small = requestOf();
  const read = readBody(small, mebi, { room: room(), refuseUnpaid: refuse });
  small.push(Buffer.alloc(64 * 1024));
  small.push(null);
  expect((await read).length).toBe(64 * 1024);
  const large = requestOf();
  const refused = refusalOf(readBody(large, mebi, { room: room(), refuseUnpaid: refuse }));
  large.push(Buffer.alloc(70_000));
  expect(await refused).toMatchObject({ status: 403 });
  for (let n = 0; n < 10; n += 1) large.push(Buffer.alloc(20_000));
  await turn();
  // Four of them are read, and no more.
  expect([large.isPaused(), large.readableLength]).toEqual([true, 6 * 20_000]);
});
