// OpenAI's conversations, vector stores and containers: kept in memory, those of each key apart.

import { type ReplyDelivery, sendBytes, sendFailure, sendJson } from "./delivery.ts";
import type { KeyShelf, SimulatedObject } from "./key-shelf.ts";
import { openAiWire } from "./openai-wire.ts";
import { parseJson } from "./request-body.ts";
import { isRecord } from "./script.ts";
import { fnv1a } from "./simulated-answer.ts";

const objectPath = /^\/v1\/(conversations|vector_stores|containers)(?:\/([\w-]+)(?:\/(.+))?)?$/;

export const isObjectPath = (path: string): boolean => objectPath.test(path);

const prefixes: Record<string, string> = {
  conversations: "conv",
  vector_stores: "vs",
  containers: "cntr",
};
const nouns: Record<string, string> = {
  conversations: "conversation",
  vector_stores: "vector_store",
  containers: "container",
};
let counter = 0;

/** `key` is that of the call. */
export async function answerObject(
  delivery: ReplyDelivery,
  { objects, files }: KeyShelf,
  key: string,
  body: Buffer,
): Promise<void> {
  const { call } = delivery;
  const { pathname } = new URL(call.path, "http://simulator");
  const [, plural = "", id, below = ""] = objectPath.exec(pathname) ?? [];
  const noun = nouns[plural] ?? "";
  const refuse = (status: number, message: string) =>
    sendFailure(delivery, { status, message }, openAiWire.failure({ status, message }, key));
  const parsed = body.length > 0 ? parseJson(body) : {};
  const asked = isRecord(parsed) ? parsed : {};
  if (id === undefined && call.method === "GET")
    return sendJson(delivery, {
      object: "list",
      data: [...objects.values()].map(({ object }) => object),
    });
  if (id === undefined) {
    counter += 1;
    const made = {
      object: {
        id: `${prefixes[plural]}_sim${fnv1a(key).toString(36)}x${counter}`,
        object: noun,
        created_at: Math.floor(Date.now() / 1_000),
        name: asked.name ?? null,
        metadata: asked.metadata ?? {},
      },
      parts: new Map(),
    };
    objects.set(made.object.id, made);
    addParts(made, asked);
    return sendJson(delivery, made.object);
  }
  const kept = objects.get(id);
  if (!kept || kept.object.object !== noun) return refuse(404, `No such ${noun}: ${id}`);
  if (below === "") {
    if (call.method === "POST") Object.assign(kept.object, asked);
    if (call.method !== "DELETE") return sendJson(delivery, kept.object);
    objects.delete(id);
    return sendJson(delivery, { id, object: `${noun}.deleted`, deleted: true });
  }
  if (below === "search")
    return sendJson(delivery, { object: "vector_store.search_results.page", data: [] });
  const [list = "", part, content] = below.split("/");
  if (part === undefined) {
    const data = call.method === "POST" ? addParts(kept, asked) : [...kept.parts.values()];
    if (list === "items" || call.method === "GET")
      return sendJson(delivery, {
        object: "list",
        data,
        first_id: null,
        last_id: null,
        has_more: false,
      });
    return sendJson(
      delivery,
      list === "files" ? data[0] : { id: "vsfb_1", object: "vector_store.files_batch" },
    );
  }
  if (list === "file_batches")
    return sendJson(delivery, { id: part, object: "vector_store.files_batch", data: [] });
  const found = kept.parts.get(part);
  if (!found) return refuse(404, `No such part: ${part}`);
  if (content !== undefined)
    return sendBytes(delivery, "text/html", [files.get(part)?.bytes ?? Buffer.alloc(0)]);
  if (call.method !== "DELETE") return sendJson(delivery, found);
  kept.parts.delete(part);
  return sendJson(delivery, list === "items" ? kept.object : { id: part, deleted: true });
}

/** The items and files that a body names, as they are answered. */
function addParts(
  { parts }: SimulatedObject,
  asked: Record<string, unknown>,
): Record<string, unknown>[] {
  const items = Array.isArray(asked.items) ? asked.items.filter(isRecord) : [];
  const named = [asked.file_id, ...(Array.isArray(asked.file_ids) ? asked.file_ids : [])];
  const added = [
    ...items.map((item) => {
      counter += 1;
      return { ...item, id: `msg_simitem${counter}` };
    }),
    ...named.flatMap((id) =>
      typeof id === "string" ? [{ id, object: "vector_store.file", status: "completed" }] : [],
    ),
  ];
  for (const one of added) parts.set(one.id, one);
  return added;
}
