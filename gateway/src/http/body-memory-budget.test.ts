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

test("bodies are accepted until the budget is used up, and again when one of them is released", {
  tags: ["FT-20"],
}, async () => {
  const budget = createBodyMemoryBudget(1_000 * kibi);
  const first = answer();
  expect(budget.reserveUntilClosed(first)(700 * kibi)).toBe(true);
  const second = budget.reserveUntilClosed(answer());
  expect(second(301 * kibi)).toBe(false);
  expect(second(300 * kibi)).toBe(true);
  await ended(first);
  expect(second(700 * kibi)).toBe(true);
  expect(second(1)).toBe(false);
});

test("a body that grows keeps its whole reservation", () => {
  const take = createBodyMemoryBudget(100 * kibi).reserveUntilClosed(answer());
  const pieces = Array.from({ length: 12 }, () => take(10 * kibi));
  expect(pieces).toEqual([...Array<boolean>(10).fill(true), false, false]);
});

test("small bodies are accepted while large ones are refused", () => {
  const budget = createBodyMemoryBudget(100 * kibi);
  expect(budget.reserveUntilClosed(answer())(100 * kibi)).toBe(true);
  expect(budget.reserveUntilClosed(answer())(65 * kibi)).toBe(false);
  expect(budget.reserveUntilClosed(answer())(2 * kibi)).toBe(true);
});

test("a client that disconnects before its body arrives leaves no reservation behind", async () => {
  const budget = createBodyMemoryBudget(100 * kibi);
  const left = answer();
  await ended(left);
  expect(budget.reserveUntilClosed(left)(100 * kibi)).toBe(true);
  expect(budget.reserveUntilClosed(answer())(100 * kibi)).toBe(true);
});

test("the default budget holds the largest body on any machine", () => {
  expect(createBodyMemoryBudget().reserveUntilClosed(answer())(50 * kibi * kibi)).toBe(true);
});
