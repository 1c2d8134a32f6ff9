import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { collectGarbage } from "../../../tests/src/harness/collect-garbage.ts";
import { readBody } from "./read-request.ts";

const bodyMax = 1_000_000;

/** In a function of its own, so that nothing here keeps the part. */
function push(request: IncomingMessage, text: string): WeakRef<Buffer> {
  const part = Buffer.alloc(50_000, text);
  request.push(part);
  return new WeakRef(part);
}

test("a request that is still being answered keeps its body once, without the parts in which it came", async () => {
  const request = new IncomingMessage(new Socket());
  const reading = readBody(request, bodyMax, () => true);
  const parts = [push(request, "a"), push(request, "b")];
  request.push(null);
  const body = await reading;
  expect(body.toString()).toBe("a".repeat(50_000) + "b".repeat(50_000));
  await turn();
  collectGarbage();
  expect(parts.map((part) => part.deref())).toEqual([undefined, undefined]);
  expect(request.readableEnded).toBe(true);
});
