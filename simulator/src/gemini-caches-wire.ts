// Gemini's cached contents: kept in memory, those of each key apart.

import { type ReplyDelivery, sendFailure, sendJson } from "./delivery.ts";
import { geminiWire } from "./gemini-wire.ts";
import type { KeyShelf } from "./key-shelf.ts";
import { parseJson } from "./request-body.ts";
import { isRecord } from "./script.ts";

const cachePath = /^\/v1beta\/(cachedContents)(\/[\w-]+)?$/;

export const isCachePath = (path: string): boolean => cachePath.test(path);

let counter = 0;

/** `key` is that of the call. */
export async function answerCache(
  delivery: ReplyDelivery,
  { objects }: KeyShelf,
  key: string,
  body: Buffer,
): Promise<void> {
  const { call } = delivery;
  const { pathname } = new URL(call.path, "http://simulator");
  const [, , id] = cachePath.exec(pathname) ?? [];
  const parsed = body.length > 0 ? parseJson(body) : {};
  const { contents: _, ...asked } = isRecord(parsed) ? parsed : {};
  if (id === undefined && call.method === "GET")
    return sendJson(delivery, {
      cachedContents: [...objects.values()].map(({ object }) => object),
    });
  if (id === undefined) {
    counter += 1;
    const name = `cachedContents/sim${counter}`;
    const object = { ...asked, name, usageMetadata: { totalTokenCount: body.length } };
    objects.set(name, { object, parts: new Map() });
    return sendJson(delivery, object);
  }
  const name = `cachedContents${id}`;
  const kept = objects.get(name);
  const failure = { status: 404, message: "Cached content was not found." };
  if (!kept) return sendFailure(delivery, failure, geminiWire.failure(failure, key));
  if (call.method === "PATCH") Object.assign(kept.object, asked);
  if (call.method !== "DELETE") return sendJson(delivery, kept.object);
  objects.delete(name);
  return sendJson(delivery, {});
}
