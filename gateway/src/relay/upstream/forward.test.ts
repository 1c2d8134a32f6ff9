import { setImmediate as turn } from "node:timers/promises";
import type { Dispatcher } from "undici";
import { expect, test } from "vitest";
import { UpstreamResponse } from "./forward.ts";

/** A connection that notes whether it may send. */
function answering() {
  let isFlowing = true;
  const controller = {
    pause: () => {
      isFlowing = false;
    },
    resume: () => {
      isFlowing = true;
    },
  } as Dispatcher.DispatchController;
  const answer = new UpstreamResponse();
  answer.onRequestStart(controller);
  return {
    answer,
    send: (bytes: number) => answer.onResponseData(controller, Buffer.alloc(bytes)),
    isFlowing: () => isFlowing,
  };
}

test("an upstream that sends a lot at once lets others go first, and goes on in the next turn", async () => {
  const { send, isFlowing } = answering();
  send(60_000);
  expect(isFlowing()).toBe(true);
  send(10_000);
  expect(isFlowing()).toBe(false);
  await turn();
  expect(isFlowing()).toBe(true);
  send(60_000);
  expect(isFlowing()).toBe(true);
});

test("whoever has to wait for its caller is not let go by its turn, nor out of turn by its caller", async () => {
  const { answer, send, isFlowing } = answering();
  send(70_000);
  answer.pause();
  answer.resume();
  expect(isFlowing()).toBe(false);
  answer.pause();
  await turn();
  expect(isFlowing()).toBe(false);
  answer.resume();
  expect(isFlowing()).toBe(true);
});
