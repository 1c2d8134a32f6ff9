/**
 * `POST /v1/files`: a small form is read first and can go to another account; a larger one passes
 * through while it arrives.
 */
import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { largestBodyMax } from "../../http/body-memory-budget.ts";
import { Conflict } from "../../storage/database.ts";
import { ownerColumns } from "../admission/kept-owner.ts";
import type { FrameDeps } from "../call-refusals.ts";
import { runAsCreation } from "../creations/as-creation.ts";
import { type AccountDeps, chooseAccounts, keepsObjects } from "../creations/choose-accounts.ts";
import {
  type BeginCreationDeps,
  beginCreation,
  createFree,
  type FreeCreationDeps,
  readHome,
} from "../creations/creation.ts";
import {
  buildBadAnswer,
  readAskedObject,
  sendObjectRequest,
} from "../creations/provider-objects.ts";
import { sendJson } from "../endpoints/json-endpoint.ts";
import type { ClientPresence, KnownCall, ReplyToClient, SentAnswer } from "../exchange-parts.ts";
import type { Guards } from "../guards/guards.ts";
import type { KeptObjectStore } from "../kept-objects/kept-object-store.ts";
import type { IssuedObjects } from "../provider-states/provider-states.ts";
import { freeTerms, type ReadBodyDeps, readBody } from "../read-body.ts";
import type { ChannelAttempt } from "../routing/attempts.ts";
import { formatGroupsText } from "../routing/channel-groups.ts";
import type { SendDeps } from "../upstream/send.ts";
import { isFormType } from "../wire/multipart.ts";
import { formEvents } from "../wire/multipart-stream.ts";
import { refuseBadRequest, refuseDenied } from "../wire/relay-refusal.ts";
import { admitObjectRequest, type ObjectRequestDeps } from "./admit-object-request.ts";
import { ArrivingBody } from "./arriving-body.ts";
import { buildFileObject, buildFileRow, objectAnswerMax } from "./file-object.ts";
import type { FileStore } from "./file-store.ts";
import {
  buildUpload,
  fileBytesMax,
  refuseFileTooLarge,
  type UploadFacts,
  uploadBody,
} from "./upload-form.ts";

export type UploadFileDeps = ObjectRequestDeps &
  FrameDeps &
  AccountDeps &
  BeginCreationDeps &
  FreeCreationDeps &
  ReadBodyDeps &
  SendDeps & {
    guards: Guards;
    files: FileStore;
    providerStates: IssuedObjects;
    keptObjects: Pick<KeptObjectStore, "latestChannelId">;
  };

/** `filesMax` is that of one user: more are a mistake, or fill the operator's account. */
export const filesMax = 1_000;
/** Fields and boundaries beside the file. */
const formOverheadMax = 64 * 1024;
const kind = "file";

/** Throws `RelayRefused`. */
async function upload(
  exchange: KnownCall & ReplyToClient & SentAnswer,
  deps: UploadFileDeps,
): Promise<void> {
  const { caller, pin } = await admitObjectRequest(exchange, deps);
  if (deps.guards.isOn()) await deps.guards.refuseUnread(caller);
  const { headers } = exchange.request;
  const contentType = headers["content-type"] ?? "";
  if (!isFormType(contentType))
    throw refuseBadRequest("invalid_multipart_request", "An upload is multipart/form-data");
  const announced = Number(headers["content-length"] ?? 0);
  if (announced > fileBytesMax + formOverheadMax) throw refuseFileTooLarge();
  const { count, latestChannelId = await deps.keptObjects.latestChannelId(caller) } =
    await deps.files.held(caller);
  if (count >= filesMax)
    throw refuseBadRequest(
      "too_many_files",
      `A user may store ${filesMax} files; delete some first`,
    );
  const choice = await chooseAccounts(
    {
      model: kind,
      keeps: (channel) => keepsObjects(channel, caller),
      pin,
      latestChannelId,
      missing: () =>
        refuseDenied(503, `No channel keeps files for the ${formatGroupsText(caller.groups)}`),
    },
    caller,
    deps,
  );
  const { facts, send, canRepeat } = await readUpload(exchange, contentType, announced, deps);
  const creation = beginCreation(
    exchange,
    caller,
    { entry: "files", model: kind, choice, bodyBytes: announced },
    deps,
  );
  const owner = { id: exchange.id, ...ownerColumns(caller) };
  const made = await createFree(
    creation,
    {
      canRepeat,
      ask: async (attempt) => readAskedObject(await send(attempt), objectAnswerMax, kind),
      async remember(answer, home, also) {
        const row = buildFileRow(answer, facts, { ...owner, channel_id: home.channel.id });
        const file = { kind, id: row.file_id } as const;
        const writes = [deps.files.insert(row), ...also];
        await deps.providerStates
          .issue([file], caller, { ...home, model: "" }, writes)
          .catch((error: unknown) => {
            if (error instanceof Conflict)
              throw buildBadAnswer("The provider gave the file an id that it had given before");
            throw error;
          });
      },
    },
    deps,
  );
  if (!made) return;
  sendJson(
    exchange,
    buildFileObject(
      buildFileRow(made.made, facts, { ...owner, channel_id: made.attempt.channel.id }),
    ),
  );
}

export const uploadFile = runAsCreation("files", upload);

interface Upload {
  /** `facts` are what was read of the form so far. */
  facts: UploadFacts;
  send(attempt: ChannelAttempt): ReturnType<typeof sendObjectRequest>;
  /** `canRepeat` says whether it can be sent from its beginning once more. */
  canRepeat(): boolean;
}

/** Throws `RelayRefused`. */
async function readUpload(
  exchange: KnownCall & ClientPresence & SentAnswer,
  contentType: string,
  announced: number,
  deps: UploadFileDeps,
): Promise<Upload> {
  const facts = buildUpload();
  const boundary = `tollgate-${randomBytes(24).toString("hex")}`;
  const request = (body: Readable) =>
    ({ method: "POST", path: "files", form: { boundary, body } }) as const;
  const terms = freeTerms(exchange, deps);
  const isHeld =
    announced > 0 && announced <= largestBodyMax && terms.room.shortageOf(announced) === undefined;
  if (!isHeld) {
    const arriving = new ArrivingBody(
      exchange,
      uploadBody(formEvents(contentType, exchange.request), boundary, facts),
    );
    return {
      facts,
      send: (attempt) => arriving.send(readHome(attempt), request, deps),
      canRepeat: () => !arriving.hasBegun,
    };
  }
  const body = await readBody(exchange.request, largestBodyMax, terms);
  const pieces: Buffer[] = [];
  for await (const piece of uploadBody(formEvents(contentType, oneChunk(body)), boundary, facts))
    pieces.push(piece);
  return {
    facts,
    send: (attempt) =>
      sendObjectRequest(
        deps,
        readHome(attempt),
        request(Readable.from(pieces, { objectMode: false })),
        (call) => exchange.onClientLeave(() => call.abort("the client left")),
      ),
    canRepeat: () => true,
  };
}

async function* oneChunk(body: Buffer): AsyncGenerator<Buffer> {
  yield body;
}
