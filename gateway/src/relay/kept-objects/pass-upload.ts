/** One piece of an upload, passed on while it arrives. The last one makes the file, which is its user's before the client learns of it. */
import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { channelStatus } from "@tollgate/contract/channels.ts";
import { keyRefusal } from "../admission/authenticate.ts";
import { refuseWhenOverloaded } from "../admit-call.ts";
import { sendJson } from "../endpoints/json-endpoint.ts";
import type { Exchange } from "../exchange.ts";
import type { RelayDeps } from "../relay-deps.ts";
import { objectAnswerMax } from "../stored-files/file-object.ts";
import { badAnswer, type ObjectHome, type ObjectRequest, readObject } from "../stored-files/provider-objects.ts";
import { sendArriving } from "../stored-files/send-arriving.ts";
import type { UpstreamResponse } from "../upstream/forward.ts";
import { badRequest, denied, RelayRefused } from "../wire/relay-refusal.ts";
import { besideGeminiUploads, geminiFiles, uploadedFileIn, uploadPath } from "./gemini-file.ts";
import { rememberObject } from "./remember-object.ts";
import type { UploadSession } from "./upload-sessions.ts";

const commands = ["upload", "upload, finalize", "finalize", "query", "cancel"];
const wholeNumber = /^\d{1,15}$/;
const statuses = ["active", "final", "cancelled"];

/** `id` is the secret of the address that `startUpload` gave. Throws `RelayRefused`. */
export async function passUpload(exchange: Exchange, id: string, deps: RelayDeps): Promise<void> {
  refuseWhenOverloaded(deps);
  const session = await deps.uploads.find(id);
  if (!session) throw uploadNotFound();
  await admitPiece(exchange, session, deps);
  const piece = pieceOf(exchange.request.headers, session.bytes);
  const home = deps.providerStates.homeWith(session.channel_id, session.key_hash, deps.channels.snapshot);
  if (home?.channel.status !== channelStatus.enabled)
    throw denied(503, "The channel of this upload takes no requests now");
  const request = (stream: Readable): ObjectRequest => ({
    method: "POST",
    api: besideGeminiUploads,
    path: uploadPath,
    query: session.query,
    headers: [
      ...["x-goog-upload-command", piece.command, "x-goog-upload-offset", String(piece.offset)],
      ...["content-length", String(piece.length)],
    ],
    stream,
  });
  const answer = await sendArriving(exchange, home, exchange.request, request, deps);
  const status = answer.headers["x-goog-upload-status"];
  if (typeof status !== "string" || !statuses.includes(status))
    throw badAnswer("The provider's answer does not tell how far the upload is");
  if (status === "final") return await finish(exchange, session, home, answer, deps);
  await answer.readAll(objectAnswerMax);
  if (status === "cancelled") await deps.uploads.forget(session);
  const received = String(answer.headers["x-goog-upload-size-received"] ?? "");
  const more = wholeNumber.test(received) ? ["x-goog-upload-size-received", received] : [];
  sendJson(exchange, {}, ["x-goog-upload-status", status, ...more]);
}

/** The key that began the upload may have been disabled since. */
async function admitPiece(exchange: Exchange, session: UploadSession, deps: RelayDeps): Promise<void> {
  const caller = await deps.uploads.callerOf(session);
  if (!caller) throw uploadNotFound();
  exchange.caller = caller;
  const refused = keyRefusal(caller, undefined, exchange.address, deps.now());
  if (refused) throw refused;
}

interface UploadPiece {
  command: string;
  offset: number;
  length: number;
}

/** Throws `RelayRefused`. */
function pieceOf(headers: IncomingHttpHeaders, bytes: number): UploadPiece {
  const command = String(headers["x-goog-upload-command"] ?? "")
    .split(",")
    .map((word) => word.trim())
    .join(", ");
  if (!commands.includes(command)) throw wrong(`X-Goog-Upload-Command must be one of: ${commands.join("; ")}`);
  const [offset = "0", length = "0"] = [headers["x-goog-upload-offset"], headers["content-length"]].map((value) =>
    value === undefined ? undefined : String(value),
  );
  if (!wholeNumber.test(offset)) throw wrong("X-Goog-Upload-Offset must be a number of bytes");
  if (headers["transfer-encoding"] !== undefined || !wholeNumber.test(length))
    throw wrong("A piece needs its size in Content-Length");
  if (Number(offset) + Number(length) > bytes) throw wrong(`The upload was announced with ${bytes} bytes`);
  return { command, offset: Number(offset), length: Number(length) };
}

async function finish(
  exchange: Exchange,
  session: UploadSession,
  home: ObjectHome,
  answer: UpstreamResponse,
  deps: RelayDeps,
): Promise<void> {
  const { uri, file } = uploadedFileIn(await readObject(answer, objectAnswerMax));
  const made = { ...home, model: "" };
  const owner = { requestId: exchange.id, userId: session.user_id };
  await rememberObject({ ...owner, kind: geminiFiles.kind, id: uri, made, also: [deps.uploads.end(session)] }, deps);
  sendJson(exchange, { file }, ["x-goog-upload-status", "final"]);
}

const wrong = (message: string): RelayRefused =>
  new RelayRefused({ ...badRequest("invalid_upload_request", message).refusal, closesConnection: true });

/** The same for an upload that never was, and for one that has ended. */
const uploadNotFound = (): RelayRefused =>
  new RelayRefused({
    status: 404,
    type: "invalid_request_error",
    code: null,
    message: "The upload was not found; it may have ended. Begin it anew",
    closesConnection: true,
  });
