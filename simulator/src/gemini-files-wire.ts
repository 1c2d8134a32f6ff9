// Gemini's files, with its resumable uploads: kept in memory, those of each key apart.

import { hash } from "node:crypto";
import { type ReplyDelivery, sendFailure, sendJson } from "./delivery.ts";
import { geminiWire } from "./gemini-wire.ts";
import type { KeyShelf } from "./key-shelf.ts";
import { parseJson } from "./request-body.ts";
import { isRecord } from "./script.ts";

const google = "https://generativelanguage.googleapis.com";
const filePath = /^(\/upload)?\/v1beta\/files(\/[\w-]+)?$/;

export const isGeminiFilePath = (path: string): boolean => filePath.test(path);

let counter = 0;

/** `key` is that of the call. */
export async function answerGeminiFile(
  delivery: ReplyDelivery,
  shelf: KeyShelf,
  key: string,
  body: Buffer,
): Promise<void> {
  const { call } = delivery;
  const { geminiFiles } = shelf;
  const { pathname } = new URL(call.path, google);
  const [, upload, id] = filePath.exec(pathname) ?? [];
  if (upload !== undefined) return answerUpload(delivery, shelf, key, body);
  if (id === undefined) return sendJson(delivery, { files: [...geminiFiles.values()] });
  const name = `files${id}`;
  const file = geminiFiles.get(name);
  if (!file) return refuse(delivery, key, 404, "Requested entity was not found.");
  if (call.method !== "DELETE") return sendJson(delivery, file);
  geminiFiles.delete(name);
  return sendJson(delivery, {});
}

async function answerUpload(
  delivery: ReplyDelivery,
  shelf: KeyShelf,
  key: string,
  body: Buffer,
): Promise<void> {
  const { call, response } = delivery;
  const command = String(call.headers["x-goog-upload-command"] ?? "");
  const uploadId = new URL(call.path, google).searchParams.get("upload_id");
  if (command === "start") {
    const asked = parseJson(body);
    const file = isRecord(asked) && isRecord(asked.file) ? asked.file : {};
    counter += 1;
    const begun = `provider-secret-${counter}`;
    shelf.uploads.set(begun, {
      displayName: file.displayName ?? file.display_name,
      mimeType: String(call.headers["x-goog-upload-header-content-type"] ?? ""),
      size: Number(call.headers["x-goog-upload-header-content-length"]),
      pieces: [],
    });
    response.setHeader(
      "x-goog-upload-url",
      `${google}/upload/v1beta/files?upload_id=${begun}&upload_protocol=resumable`,
    );
    response.setHeader("x-goog-upload-status", "active");
    return sendJson(delivery, {});
  }
  const upload = uploadId === null ? undefined : shelf.uploads.get(uploadId);
  if (!upload || uploadId === null) return refuse(delivery, key, 404, "Upload not found.");
  const received = (): number => upload.pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (command.includes("upload")) {
    if (Number(call.headers["x-goog-upload-offset"]) !== received())
      return refuse(delivery, key, 400, "The offset is not where the upload is.");
    upload.pieces.push(body);
  }
  if (command === "cancel") shelf.uploads.delete(uploadId);
  if (command === "cancel" || !command.includes("finalize")) {
    response.setHeader("x-goog-upload-status", command === "cancel" ? "cancelled" : "active");
    response.setHeader("x-goog-upload-size-received", received());
    return sendJson(delivery, {});
  }
  if (received() !== upload.size)
    return refuse(delivery, key, 400, "The upload is not as large as announced.");
  shelf.uploads.delete(uploadId);
  counter += 1;
  const name = `files/sim${counter}`;
  const sha256Hash = hash("sha256", Buffer.concat(upload.pieces), "base64");
  const facts = {
    name,
    mimeType: upload.mimeType,
    sizeBytes: String(upload.size),
    sha256Hash,
    state: "ACTIVE",
  };
  const file = { ...facts, displayName: upload.displayName, uri: `${google}/v1beta/${name}` };
  shelf.geminiFiles.set(name, file);
  response.setHeader("x-goog-upload-status", "final");
  return sendJson(delivery, { file });
}

function refuse(delivery: ReplyDelivery, key: string, status: number, message: string): void {
  const failure = { status, message };
  sendFailure(delivery, failure, geminiWire.failure(failure, key));
}
