// OpenAI's files: kept in memory, those of each key apart.
import type { KeptMessageBatch } from "./anthropic-batches-wire.ts";
import { type ReplyDelivery, sendBytes, sendFailure, sendJson } from "./delivery.ts";
import type { KeptGeminiFile, KeptUpload } from "./gemini-files-wire.ts";
import type { SimulatedObject } from "./openai-objects-wire.ts";
import type { KeptVideo } from "./openai-videos-wire.ts";
import { openAiWire } from "./openai-wire.ts";
import { fnv1a } from "./simulated-answer.ts";

export type KeptFile = { id: string; bytes: Buffer; filename: string; purpose: string; created_at: number };

/** A batch of one key. `polls` counts the questions about it. */
export type KeptBatch = { id: string; polls: number; object: Record<string, unknown> };

/** The files and batches of one key, by id. */
export type KeyShelf = {
  files: Map<string, KeptFile>;
  batches: Map<string, KeptBatch>;
  messageBatches: Map<string, KeptMessageBatch>;
  objects: Map<string, SimulatedObject>;
  videos: Map<string, KeptVideo>;
  geminiFiles: Map<string, KeptGeminiFile>;
  uploads: Map<string, KeptUpload>;
};

export type FileShelves = { of(key: string): KeyShelf };

export function createFileShelves(): FileShelves {
  const shelves = new Map<string, KeyShelf>();
  return {
    of(key) {
      const known = shelves.get(key) ?? {
        files: new Map(),
        batches: new Map(),
        messageBatches: new Map(),
        objects: new Map(),
        videos: new Map(),
        geminiFiles: new Map(),
        uploads: new Map(),
      };
      shelves.set(key, known);
      return known;
    },
  };
}

const filePath = /^\/v1\/files(?:\/([\w-]+)(\/content)?)?$/;

export const isFilePath = (path: string): boolean => filePath.test(path);

const fileObject = ({ bytes, ...file }: KeptFile) => ({
  ...file,
  object: "file",
  bytes: bytes.length,
  expires_at: null,
  status: "processed",
});

/** `key` is that of the call. */
export async function answerFile(delivery: ReplyDelivery, shelf: KeyShelf, key: string, body: Buffer): Promise<void> {
  const { call } = delivery;
  const { files } = shelf;
  const { pathname } = new URL(call.path, "http://simulator");
  const [, id, content] = filePath.exec(pathname) ?? [];
  const refuse = (status: number, message: string) =>
    sendFailure(delivery, { status, message }, openAiWire.failure({ status, message }, key));
  if (id === undefined && call.method === "POST") {
    const headers = { "content-type": String(call.headers["content-type"] ?? "") };
    const form = await new Response(new Uint8Array(body), { headers }).formData().catch(() => undefined);
    const file = form?.get("file");
    if (!(file instanceof File)) return refuse(400, "We could not parse your multipart form.");
    return sendJson(delivery, fileObject(keepFile(shelf, key, Buffer.from(await file.bytes()), file.name, form)));
  }
  if (id === undefined) return sendJson(delivery, { object: "list", data: [...files.values()].map(fileObject) });
  const file = files.get(id);
  if (!file) return refuse(404, `No such File object: ${id}`);
  if (call.method === "DELETE") {
    files.delete(id);
    return sendJson(delivery, { id, object: "file", deleted: true });
  }
  if (!content) return sendJson(delivery, fileObject(file));
  // As a provider would that guesses the type of what a user stored.
  return sendBytes(delivery, "text/html", [file.bytes]);
}

let counter = 0;

export function keepFile({ files }: KeyShelf, key: string, bytes: Buffer, filename: string, form?: FormData): KeptFile {
  counter += 1;
  const id = `file-sim${fnv1a(key).toString(36)}x${counter}`;
  const purpose = String(form?.get("purpose") ?? "batch_output");
  const kept = { id, bytes, filename, purpose, created_at: Math.floor(Date.now() / 1_000) };
  files.set(id, kept);
  return kept;
}
