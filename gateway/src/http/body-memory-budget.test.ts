import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { expect, test } from "vitest";
import { createBodyMemoryBudget } from "./body-memory-budget.ts";

const kibi = 1024;
const answer = () => new ServerResponse(new IncomingMessage(new Socket()));
const ended = async (response: ServerResponse) => {
  const closed = new Promise((resolve) => response.once("close", resolve));
  response.destroy();
  await closed;
};

test("bodies have room until it is full, and again when one of them is over", { tags: ["FT-20"] }, async () => {
  const room = createBodyMemoryBudget(1_000 * kibi);
  const first = answer();
  expect(room.reserveUntilClosed(first)(700 * kibi)).toBe(true);
  const second = room.reserveUntilClosed(answer());
  expect(second(301 * kibi)).toBe(false);
  expect(second(300 * kibi)).toBe(true);
  await ended(first);
  expect(second(700 * kibi)).toBe(true);
  expect(second(1)).toBe(false);
});

test("a body that grows has all that came of it", () => {
  const take = createBodyMemoryBudget(100 * kibi).reserveUntilClosed(answer());
  const pieces = Array.from({ length: 12 }, () => take(10 * kibi));
  expect(pieces).toEqual([...Array<boolean>(10).fill(true), false, false]);
});

test("small bodies are let in where there is no room for large ones", () => {
  const room = createBodyMemoryBudget(100 * kibi);
  expect(room.reserveUntilClosed(answer())(100 * kibi)).toBe(true);
  expect(room.reserveUntilClosed(answer())(65 * kibi)).toBe(false);
  expect(room.reserveUntilClosed(answer())(2 * kibi)).toBe(true);
});

test("who has left before his body came takes nothing that nobody would give back", async () => {
  const room = createBodyMemoryBudget(100 * kibi);
  const left = answer();
  await ended(left);
  expect(room.reserveUntilClosed(left)(100 * kibi)).toBe(true);
  expect(room.reserveUntilClosed(answer())(100 * kibi)).toBe(true);
});

test("the largest body finds room wherever the gateway runs", () => {
  expect(createBodyMemoryBudget().reserveUntilClosed(answer())(50 * kibi * kibi)).toBe(true);
});
