/** `POST /v1/files`: the form passes through while it arrives, to an account that keeps the file. */
import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { relayBodyPace, watchBody } from "../../http/body-timeout.ts";
import { Conflict } from "../../storage/database.ts";
import { sendJson } from "../endpoints/json-endpoint.ts";
import type { Exchange } from "../exchange.ts";
import type { RelayDeps } from "../relay-deps.ts";
import { groupsText } from "../routing/channel-groups.ts";
import type { UpstreamResponse } from "../upstream/forward.ts";
import { isFormType } from "../wire/multipart.ts";
import { formEvents } from "../wire/multipart-stream.ts";
import { badRequest, denied, RelayRefused } from "../wire/relay-refusal.ts";
import { fileHome } from "./file-home.ts";
import { fileObject, fileRow, objectAnswerMax } from "./file-object.ts";
import { admitObjectRequest, badAnswer, type ObjectHome, readObject, sendObjectRequest } from "./provider-objects.ts";
import { fileBytesMax, fileTooLarge, newUpload, type UploadFacts, uploadBody } from "./upload-form.ts";

/** Of one user: more are a mistake, or fill the operator's account. */
const filesMax = 1_000;
/** Fields and boundaries beside the file. */
const formOverheadMax = 64 * 1024;

/** Throws `RelayRefused`. */
export async function uploadFile(exchange: Exchange, deps: RelayDeps): Promise<void> {
  const { caller, pin } = await admitObjectRequest(exchange, deps);
  if (deps.guards.isOn()) await deps.guards.refuseUnread(caller);
  const { headers } = exchange.request;
  const contentType = headers["content-type"] ?? "";
  if (!isFormType(contentType)) throw badRequest("invalid_multipart_request", "An upload is multipart/form-data");
  if (Number(headers["content-length"] ?? 0) > fileBytesMax + formOverheadMax) throw fileTooLarge();
  const { count, latestChannelId = await deps.keptObjects.latestChannelId(caller.userId) } = await deps.files.held(
    caller.userId,
  );
  if (count >= filesMax) throw badRequest("too_many_files", `A user may store ${filesMax} files; delete some first`);
  const home = fileHome(caller, deps.channels.snapshot, { pin, latestChannelId }, deps.random);
  if (!home) throw denied(503, `No channel keeps files for the ${groupsText(caller.groups)}`);

  const facts = newUpload();
  const answer = await sendUpload(exchange, contentType, home, facts, deps);
  const owner = { id: exchange.id, channel_id: home.channel.id, user_id: caller.userId };
  const row = fileRow(await readObject(answer, objectAnswerMax), facts, owner);
  const file = { kind: "file", id: row.file_id } as const;
  try {
    await deps.providerStates.issue([file], caller.userId, { ...home, model: "" }, [deps.files.insert(row)]);
  } catch (error) {
    if (error instanceof Conflict) throw badAnswer("The provider gave the file an id that it had given before");
    throw error;
  }
  sendJson(exchange, fileObject(row));
}

/** Passes the upload on while it arrives. Throws `RelayRefused` for a wrong form and for what the provider refuses. */
async function sendUpload(
  exchange: Exchange,
  contentType: string,
  home: ObjectHome,
  facts: UploadFacts,
  deps: RelayDeps,
): Promise<UpstreamResponse> {
  const { request } = exchange;
  const boundary = `tollgate-${randomBytes(24).toString("hex")}`;
  let fault: unknown;
  let upstream: UpstreamResponse | undefined;
  const stopWith = (error: unknown): void => {
    fault ??= error;
    upstream?.abort("the upload is not whole");
  };
  watchBody(request, relayBodyPace, () => stopWith(tooSlow()));
  async function* checked(): AsyncGenerator<Buffer> {
    try {
      yield* uploadBody(formEvents(contentType, request), boundary, facts);
    } catch (error) {
      stopWith(error instanceof RelayRefused ? error : cutOff());
      throw error;
    }
  }
  const body = Readable.from(checked(), { objectMode: false });
  // The upstream reports the same error.
  body.on("error", () => undefined);
  const sent = await sendObjectRequest(
    deps,
    home,
    { method: "POST", path: "files", form: { boundary, body } },
    (call) => {
      upstream = call;
      exchange.onClientLeave(() => call.abort("the client left"));
    },
  );
  if (fault !== undefined) throw closing(fault);
  // What the client still sends is not read any more.
  if ("error" in sent) throw closing(new RelayRefused(sent.error.refusal));
  return sent.answer;
}

/** The client may still be sending: the connection is of no further use. */
const closing = (error: unknown): unknown =>
  error instanceof RelayRefused ? new RelayRefused({ ...error.refusal, closesConnection: true }) : error;

const cutOff = (): RelayRefused => badRequest("invalid_multipart_request", "The body ended too early");
const tooSlow = (): RelayRefused =>
  new RelayRefused({
    status: 408,
    type: "invalid_request_error",
    code: "request_too_slow",
    message: "The body comes too slowly",
  });
