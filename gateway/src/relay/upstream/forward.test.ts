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

test("a fast upstream yields to others, and continues in the next turn of the event loop", async () => {
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

test("an upstream resumes only when its client is ready and its turn has come, in either order", async () => {
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
