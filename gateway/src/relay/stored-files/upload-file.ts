/** `POST /v1/files`: the form passes through while it arrives, to an account that keeps the file. */
import { randomBytes } from "node:crypto";
import { Conflict } from "../../storage/database.ts";
import { sendJson } from "../endpoints/json-endpoint.ts";
import type { Exchange } from "../exchange.ts";
import type { RelayDeps } from "../relay-deps.ts";
import { groupsText } from "../routing/channel-groups.ts";
import { isFormType } from "../wire/multipart.ts";
import { formEvents } from "../wire/multipart-stream.ts";
import { badRequest, denied } from "../wire/relay-refusal.ts";
import { admitObjectRequest } from "./admit-object-request.ts";
import { fileHome } from "./file-home.ts";
import { fileObject, fileRow, objectAnswerMax } from "./file-object.ts";
import { badAnswer, readObject } from "./provider-objects.ts";
import { sendArriving } from "./send-arriving.ts";
import { fileBytesMax, fileTooLarge, newUpload, uploadBody } from "./upload-form.ts";

/** Of one user: more are a mistake, or fill the operator's account. */
export const filesMax = 1_000;
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
  const boundary = `tollgate-${randomBytes(24).toString("hex")}`;
  const answer = await sendArriving(
    exchange,
    home,
    uploadBody(formEvents(contentType, exchange.request), boundary, facts),
    (body) => ({ method: "POST", path: "files", form: { boundary, body } }),
    deps,
  );
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
