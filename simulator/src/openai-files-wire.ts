// OpenAI's files: kept in memory, those of each key apart.

import { type ReplyDelivery, sendBytes, sendFailure, sendJson } from "./delivery.ts";
import type { KeptFile, KeyShelf } from "./key-shelf.ts";
import { openAiWire } from "./openai-wire.ts";
import { fnv1a } from "./simulated-answer.ts";

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
export async function answerFile(
  delivery: ReplyDelivery,
  shelf: KeyShelf,
  key: string,
  body: Buffer,
): Promise<void> {
  const { call } = delivery;
  const { files } = shelf;
  const { pathname } = new URL(call.path, "http://simulator");
  const [, id, content] = filePath.exec(pathname) ?? [];
  const refuse = (status: number, message: string) =>
    sendFailure(delivery, { status, message }, openAiWire.failure({ status, message }, key));
  if (id === undefined && call.method === "POST") {
    const headers = { "content-type": String(call.headers["content-type"] ?? "") };
    const form = await new Response(new Uint8Array(body), { headers })
      .formData()
      .catch(() => undefined);
    const file = form?.get("file");
    if (!(file instanceof File)) return refuse(400, "We could not parse your multipart form.");
    return sendJson(
      delivery,
      fileObject(keepFile(shelf, key, Buffer.from(await file.bytes()), file.name, form)),
    );
  }
  if (id === undefined)
    return sendJson(delivery, { object: "list", data: [...files.values()].map(fileObject) });
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

export function keepFile(
  { files }: KeyShelf,
  key: string,
  bytes: Buffer,
  filename: string,
  form?: FormData,
): KeptFile {
  counter += 1;
  const id = `file-sim${fnv1a(key).toString(36)}x${counter}`;
  const purpose = String(form?.get("purpose") ?? "batch_output");
  const kept = { id, bytes, filename, purpose, created_at: Math.floor(Date.now() / 1_000) };
  files.set(id, kept);
  return kept;
}
