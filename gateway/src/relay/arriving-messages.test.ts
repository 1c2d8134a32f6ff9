import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { WebSocket } from "ws";
import { createBodyMemoryBudget } from "../http/body-memory-budget.ts";
import { ArrivingMessages, type ArrivingMessagesDeps } from "./arriving-messages.ts";
import type { RelayRefusal } from "./wire/relay-refusal.ts";

const kibi = 1024;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A client that sends bytes of one message, in a budget of 1,000 KiB. */
function arriving(
  more: Pick<ArrivingMessagesDeps, "refusalOfLarge"> = {},
  bodyMemoryBudget = createBodyMemoryBudget(1_000 * kibi),
) {
  const client = Object.assign(new EventEmitter(), { isPaused: false });
  const socket = new PassThrough();
  const refusals: RelayRefusal[] = [];
  const messages = new ArrivingMessages(
    client as unknown as WebSocket,
    socket as unknown as Socket,
    {
      bodyMemoryBudget,
      userId: 1,
      onRefused: (refusal) => refusals.push(refusal),
      ...more,
    },
  );
  const send = (bytes: number) => socket.emit("data", Buffer.alloc(bytes));
  return { client, socket, messages, send, refusals, budget: bodyMemoryBudget };
}

test("a message takes memory while it arrives, and until its receiver gives it back", () => {
  const { messages, send, budget, refusals } = arriving();
  send(60 * kibi);
  expect(budget.room()).toBe(1_000 * kibi);
  send(340 * kibi);
  expect(budget.room()).toBe(600 * kibi);
  const room = messages.takeMessage();
  send(100 * kibi);
  expect(budget.room()).toBe(500 * kibi);
  room.release();
  expect(budget.room()).toBe(900 * kibi);
  messages.stop();
  expect([budget.room(), refusals]).toEqual([1_000 * kibi, []]);
});

test("a message above what there is ends the connection once, and leaves nothing behind", {
  tags: ["FT-34"],
}, () => {
  const { send, budget, refusals } = arriving();
  send(1_001 * kibi);
  send(1_001 * kibi);
  expect(refusals.map(({ code }) => code)).toEqual(["too_much_at_once"]);
  expect(budget.room()).toBe(1_000 * kibi);
});

test("a refused client that goes on sending can read the refusal: its connection ends after its bytes", () => {
  const { send, socket } = arriving();
  const seen: number[] = [];
  socket.on("data", ({ length }: Buffer) => seen.push(length));
  send(1_001 * kibi);
  send(10);
  // The library, which listens as this test does, gets no more of the message.
  expect(seen).toEqual([1_001 * kibi]);
  expect([socket.writableEnded, socket.destroyed]).toEqual([true, false]);
  vi.advanceTimersByTime(2_000);
  expect(socket.destroyed).toBe(true);
});

test("pings and pongs are no part of a message", () => {
  const { client, send, budget } = arriving();
  for (let n = 0; n < 20_000; n += 1) {
    send(6 + 10);
    client.emit(n % 2 === 0 ? "ping" : "pong", Buffer.alloc(10));
  }
  send(kibi);
  expect(budget.room()).toBe(1_000 * kibi);
});

test("a large message that stops arriving is given up, sooner while memory is short, and a small one never", {
  tags: ["FT-22", "FT-34"],
}, () => {
  const slow = arriving();
  slow.send(200 * kibi);
  vi.advanceTimersByTime(204_000);
  expect(slow.refusals).toEqual([]);
  vi.advanceTimersByTime(2_000);
  expect(slow.refusals.map(({ code }) => code)).toEqual(["request_too_slow"]);

  const short = arriving();
  short.send(600 * kibi);
  // 30 s and 25 s.
  vi.advanceTimersByTime(54_000);
  expect(short.refusals).toEqual([]);
  vi.advanceTimersByTime(2_000);
  expect(short.refusals.map(({ code }) => code)).toEqual(["request_too_slow"]);

  const small = arriving();
  small.send(64 * kibi);
  vi.advanceTimersByTime(3_600_000);
  expect(small.refusals).toEqual([]);
});

test("a client that the gateway does not read is not slow", () => {
  const { client, send, refusals } = arriving();
  send(600 * kibi);
  client.isPaused = true;
  vi.advanceTimersByTime(600_000);
  expect(refusals).toEqual([]);
});

test("whether a large message may come is asked while it comes, and forgotten with it", {
  tags: ["FT-35"],
}, async () => {
  const unpaid: RelayRefusal = { status: 403, type: "insufficient_quota", message: "no" };
  const refused = arriving({ refusalOfLarge: async () => unpaid });
  refused.send(65 * kibi);
  await vi.advanceTimersByTimeAsync(0);
  expect(refused.refusals).toEqual([unpaid]);
  const whole = arriving({ refusalOfLarge: async () => unpaid });
  whole.send(65 * kibi);
  whole.messages.takeMessage();
  await vi.advanceTimersByTimeAsync(0);
  expect(whole.refusals).toEqual([]);
});
