import { setImmediate as turn } from "node:timers/promises";
import { deflateRawSync, deflateSync, gzipSync } from "node:zlib";
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

test.each<[string, string, Buffer]>([
  ["is packed", "gzip", gzipSync("word")],
  ["is packed twice over", "gzip", Buffer.concat([gzipSync("wo"), gzipSync("rd")])],
  ["was unpacked on its way, with its header left", "gzip", Buffer.from("word")],
  ["is packed by the other name", "X-GZIP ", gzipSync("word")],
  ["has zlib's header", "deflate", deflateSync("word")],
  ["has none", "deflate", deflateRawSync("word")],
])("a body that %s is read", async (_, encoding, body) => {
  const { answer } = answering();
  const controller = { pause: () => undefined, resume: () => undefined };
  const on = controller as unknown as Dispatcher.DispatchController;
  answer.onResponseStart(on, 200, { "content-encoding": encoding });
  const read = answer.readAll(100);
  answer.onResponseData(on, body);
  answer.onResponseEnd();
  expect((await read).toString()).toBe("word");
  expect(answer.headers["content-encoding"]).toBeUndefined();
});
