/**
 * A piece of an upload, passed on while it arrives. The last one makes the file, which is its
 * user's before the client learns of it.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { channelStatus } from "@tollgate/contract/catalogue/channels.ts";
import { findKeyRefusal } from "../admission/authenticate.ts";
import type {
  CallerFunds,
  CallerIdentity,
  CallerReach,
  KeyRules,
} from "../admission/caller-parts.ts";
import { readOwner } from "../admission/kept-owner.ts";
import { refuseWhenOverloaded } from "../call-refusals.ts";
import { runAsCreation } from "../creations/as-creation.ts";
import type { AccountAnswer } from "../creations/ask-accounts.ts";
import { chooseAccounts } from "../creations/choose-accounts.ts";
import { beginCreation, createFree, readHome } from "../creations/creation.ts";
import {
  buildBadAnswer,
  type ObjectRequest,
  readAskedObject,
} from "../creations/provider-objects.ts";
import { sendJson } from "../endpoints/json-endpoint.ts";
import type { KnownCall, ReplyToClient, SentAnswer } from "../exchange-parts.ts";
import type { ObjectHome } from "../provider-states/provider-states.ts";
import { ArrivingBody } from "../stored-files/arriving-body.ts";
import { objectAnswerMax } from "../stored-files/file-object.ts";
import type { SendResult } from "../upstream/send.ts";
import { RelayRefused, refuseBadRequest, refuseDenied } from "../wire/relay-refusal.ts";
import {
  besideGeminiUploads,
  buildUploadedFile,
  fileModel,
  geminiFiles,
  isNamingFile,
  uploadPath,
} from "./gemini-file.ts";
import { rememberObject } from "./remember-object.ts";
import type { UploadDeps } from "./start-upload.ts";
import type { UploadSession } from "./upload-sessions.ts";

const commands = ["upload", "upload, finalize", "finalize", "query", "cancel"];
const wholeNumber = /^\d{1,15}$/;
const statuses = ["active", "final", "cancelled"];

/** `id` is the secret of the address that `startUpload` gave. Throws `RelayRefused`. */
async function passPiece(
  exchange: KnownCall & ReplyToClient & SentAnswer,
  id: string,
  deps: UploadDeps,
): Promise<void> {
  refuseWhenOverloaded(deps);
  const session = await deps.uploads.find(id);
  if (!session) throw uploadNotFound();
  const caller = await admitPiece(exchange, session, deps);
  const piece = buildPiece(exchange.request.headers, session.bytes);
  const home = deps.providerStates.homeWith(
    session.channel_id,
    session.key_hash,
    deps.channels.snapshot,
  );
  if (home?.channel.status !== channelStatus.enabled) throw channelGone();
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
  const body = new ArrivingBody(exchange, exchange.request);
  const ask = async (to: ObjectHome): Promise<AccountAnswer<ToldPiece>> =>
    readToldPiece(await body.send(to, request, deps));
  const told = piece.command.includes("finalize")
    ? await askForFile(exchange, { session, caller, home, bytes: piece.length, ask }, deps)
    : plainly(await ask(home));
  if (!told) return;
  if (told.status === "cancelled") await deps.uploads.forget(session);
  const more = told.received === undefined ? [] : ["x-goog-upload-size-received", told.received];
  sendJson(exchange, told.made ? { file: told.made.file } : {}, [
    "x-goog-upload-status",
    told.status,
    ...more,
  ]);
}

export const passUpload = (
  exchange: KnownCall & ReplyToClient & SentAnswer,
  id: string,
  deps: UploadDeps,
): Promise<void> =>
  runAsCreation<UploadDeps>("gemini_files", (piece, all) => passPiece(piece, id, all))(
    exchange,
    deps,
  );

/** `ToldPiece` is what the provider tells of the upload after a piece. */
interface ToldPiece {
  status: string;
  received?: string;
  /** `made` is that of the last piece. */
  made?: ReturnType<typeof buildUploadedFile>;
}

async function readToldPiece(sent: SendResult): Promise<AccountAnswer<ToldPiece>> {
  if ("error" in sent) return sent;
  const { headers } = sent.answer;
  const status = headers["x-goog-upload-status"];
  if (typeof status !== "string" || !statuses.includes(status))
    return { unusable: "The provider's answer does not tell how far the upload is" };
  if (status === "final") {
    const asked = await readAskedObject(sent, objectAnswerMax, geminiFiles.noun, isNamingFile);
    return "made" in asked ? { made: { status, made: buildUploadedFile(asked.made) } } : asked;
  }
  await sent.answer.readAll(objectAnswerMax);
  const received = String(headers["x-goog-upload-size-received"] ?? "");
  return { made: { status, ...(wholeNumber.test(received) && { received }) } };
}

/** Throws `RelayRefused` for anything but what was made. */
function plainly(asked: AccountAnswer<ToldPiece>): ToldPiece {
  if ("made" in asked) return asked.made;
  throw "error" in asked ? new RelayRefused(asked.error.refusal) : buildBadAnswer(asked.unusable);
}

interface LastPiece {
  session: UploadSession;
  caller: CallerIdentity & CallerReach & CallerFunds & KeyRules;
  home: ObjectHome;
  bytes: number;
  ask(home: ObjectHome): Promise<AccountAnswer<ToldPiece>>;
}

/** The last piece makes the file: it has a row, as the beginning of the upload has. */
async function askForFile(
  exchange: KnownCall & ReplyToClient & SentAnswer,
  { session, caller, home, bytes, ask }: LastPiece,
  deps: UploadDeps,
): Promise<ToldPiece | undefined> {
  const choice = await chooseAccounts(
    { model: fileModel, bound: home, keeps: () => true, missing: channelGone },
    caller,
    deps,
  );
  const plan = { entry: "gemini_files", model: fileModel, choice, bound: home, bodyBytes: bytes };
  const end = await createFree(
    beginCreation(exchange, caller, plan, deps),
    {
      ask: (attempt) => ask(readHome(attempt)),
      async remember({ made }, account, also) {
        if (!made) return deps.callRows.write(also);
        const owner = {
          requestId: exchange.id,
          owner: readOwner(session),
          made: { ...account, model: "" },
        };
        const writes = [...also, deps.uploads.end(session)];
        await rememberObject(
          { ...owner, kind: geminiFiles.kind, id: made.uri, also: writes },
          deps,
        );
      },
    },
    deps,
  );
  return end?.made;
}

/** The key that began the upload may have been disabled since. */
async function admitPiece(
  exchange: KnownCall,
  session: UploadSession,
  deps: UploadDeps,
): Promise<CallerIdentity & CallerReach & CallerFunds & KeyRules> {
  const caller = await deps.uploads.callerOf(session);
  if (!caller) throw uploadNotFound();
  exchange.learn({ caller });
  const refused = findKeyRefusal(caller, undefined, exchange.address, deps.now());
  if (refused) throw refused;
  return caller;
}

interface UploadPiece {
  command: string;
  offset: number;
  length: number;
}

/** Throws `RelayRefused`. */
function buildPiece(headers: IncomingHttpHeaders, bytes: number): UploadPiece {
  const command = String(headers["x-goog-upload-command"] ?? "")
    .split(",")
    .map((word) => word.trim())
    .join(", ");
  if (!commands.includes(command))
    throw refuseWrong(`X-Goog-Upload-Command must be one of: ${commands.join("; ")}`);
  const [offset = "0", length = "0"] = [
    headers["x-goog-upload-offset"],
    headers["content-length"],
  ].map((value) => (value === undefined ? undefined : String(value)));
  if (!wholeNumber.test(offset))
    throw refuseWrong("X-Goog-Upload-Offset must be a number of bytes");
  if (headers["transfer-encoding"] !== undefined || !wholeNumber.test(length))
    throw refuseWrong("A piece needs its size in Content-Length");
  if (Number(offset) + Number(length) > bytes)
    throw refuseWrong(`The upload was announced with ${bytes} bytes`);
  return { command, offset: Number(offset), length: Number(length) };
}

const channelGone = (): RelayRefused =>
  refuseDenied(503, "The channel of this upload takes no requests now");

const refuseWrong = (message: string): RelayRefused =>
  new RelayRefused({
    ...refuseBadRequest("invalid_upload_request", message).refusal,
    closesConnection: true,
  });

/** `uploadNotFound` does the same for an upload that never was, and for one that has ended. */
const uploadNotFound = (): RelayRefused =>
  new RelayRefused({
    status: 404,
    type: "invalid_request_error",
    code: null,
    message: "The upload was not found; it may have ended. Begin it anew",
    closesConnection: true,
  });
