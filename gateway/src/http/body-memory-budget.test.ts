import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { expect, test } from "vitest";
import { createBodyMemoryBudget } from "./body-memory-budget.ts";
import { crowdedBodyPace, relayBodyPace } from "./body-timeout.ts";

const kibi = 1024;
const answer = () => new ServerResponse(new IncomingMessage(new Socket()));
const ended = async (response: ServerResponse) => {
  const closed = new Promise((resolve) => response.once("close", resolve));
  response.destroy();
  await closed;
};
/** In which each user's share is 700 KiB. */
const budgetOf = (total: number) => createBodyMemoryBudget(total, 700 * kibi);

test("bodies are accepted until the budget is used up, and again when one of them is released", {
  tags: ["FT-20"],
}, async () => {
  const budget = budgetOf(1_000 * kibi);
  const first = answer();
  expect(budget.reserveUntilClosed(first, 1).take(700 * kibi)).toBeUndefined();
  const second = budget.reserveUntilClosed(answer(), 2);
  expect(second.take(301 * kibi)).toBe("total");
  expect(second.take(300 * kibi)).toBeUndefined();
  expect(budget.room()).toBe(0);
  await ended(first);
  expect(second.take(400 * kibi)).toBeUndefined();
  expect(second.take(1)).toBe("share");
});

test("one user never takes more than its share, in however many bodies", {
  tags: ["FT-34"],
}, () => {
  const budget = budgetOf(5_600 * kibi);
  const bodies = Array.from({ length: 20 }, () => budget.reserve(1).take(100 * kibi));
  expect(bodies.filter((shortage) => shortage === undefined)).toHaveLength(7);
  expect(new Set(bodies.slice(7))).toEqual(new Set(["share"]));
  for (let user = 2; user <= 8; user += 1)
    expect(budget.reserve(user).take(700 * kibi)).toBeUndefined();
  expect(budget.reserve(9).take(700 * kibi)).toBe("total");
});

test("what is announced takes no room, and is known not to fit", { tags: ["FT-34"] }, () => {
  const budget = budgetOf(1_000 * kibi);
  expect(budget.reserve(1).shortageOf(700 * kibi)).toBeUndefined();
  expect(budget.reserve(1).shortageOf(701 * kibi)).toBe("share");
  expect(budget.room()).toBe(1_000 * kibi);
});

test("a body that grows keeps its whole reservation", () => {
  const body = createBodyMemoryBudget(100 * kibi).reserveUntilClosed(answer(), 1);
  const pieces = Array.from({ length: 12 }, () => body.take(10 * kibi));
  expect(pieces.map((shortage) => shortage === undefined)).toEqual([
    ...Array<boolean>(10).fill(true),
    false,
    false,
  ]);
});

test("small bodies are accepted while large ones are refused", () => {
  const budget = createBodyMemoryBudget(100 * kibi);
  expect(budget.reserve(1).take(100 * kibi)).toBeUndefined();
  expect(budget.reserve(2).take(65 * kibi)).toBe("total");
  expect(budget.reserve(2).take(2 * kibi)).toBeUndefined();
  expect(budget.reserve(1).take(2 * kibi)).toBeUndefined();
});

test("what turns out to be no part of a message is given back", () => {
  const budget = createBodyMemoryBudget(100 * kibi);
  const message = budget.reserve(1);
  message.take(80 * kibi);
  message.take(-10 * kibi);
  expect(budget.room()).toBe(30 * kibi);
  message.take(-10 * kibi);
  expect([budget.room(), message.holdsMemory]).toEqual([100 * kibi, false]);
});

test("a client that disconnects before its body arrives leaves no reservation behind", async () => {
  const budget = createBodyMemoryBudget(100 * kibi);
  const left = answer();
  await ended(left);
  expect(budget.reserveUntilClosed(left, 1).take(100 * kibi)).toBeUndefined();
  expect(budget.reserveUntilClosed(answer(), 1).take(100 * kibi)).toBeUndefined();
});

test("a body that holds memory must come faster while more than half of it is taken", {
  tags: ["FT-22"],
}, () => {
  const budget = createBodyMemoryBudget(1_000 * kibi, 1_000 * kibi);
  const [small, large, other] = [budget.reserve(1), budget.reserve(1), budget.reserve(2)];
  small.take(64 * kibi);
  large.take(500 * kibi);
  expect(large.pace()).toBe(relayBodyPace);
  other.take(65 * kibi);
  expect([small, large, other].map((body) => body.pace())).toEqual([
    relayBodyPace,
    crowdedBodyPace,
    crowdedBodyPace,
  ]);
  other.release();
  expect(large.pace()).toBe(relayBodyPace);
});

test("the default budget holds the largest body on any machine", () => {
  expect(
    createBodyMemoryBudget()
      .reserve(1)
      .take(50 * kibi * kibi),
  ).toBeUndefined();
});
