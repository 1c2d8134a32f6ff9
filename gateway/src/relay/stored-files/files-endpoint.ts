/**
 * `/v1/files`: files that a user stores at a provider, to be named in calls. Each belongs to its
 * user and to the account that keeps it (`provider-states`). They cost nothing; an upload alone
 * leaves a row in the log, and reads are limited as counts of tokens are.
 */
import type { ProviderFileRow } from "../../storage/tables/call-tables.ts";
import type { CallerIdentity } from "../admission/caller-parts.ts";
import {
  type ObjectRequest,
  objectId,
  readObject,
  sendObjectRequest,
} from "../creations/provider-objects.ts";
import { sendJson } from "../endpoints/json-endpoint.ts";
import type {
  ClientPresence,
  KnownCall,
  ReplyToClient,
  SentAnswer,
  StreamToClient,
} from "../exchange-parts.ts";
import type { ObjectHome } from "../provider-states/provider-states.ts";
import type { UpstreamAnswer } from "../upstream/answer-parts.ts";
import { RelayRefused, refuseBadRequest } from "../wire/relay-refusal.ts";
import { admitObjectRequest } from "./admit-object-request.ts";
import { buildFileObject, objectAnswerMax } from "./file-object.ts";
import type { FilePage } from "./file-store.ts";
import { passBytes } from "./pass-bytes.ts";
import { type UploadFileDeps, uploadFile } from "./upload-file.ts";

const pageDefault = 100;
const pageMax = 1_000;
const oneFile = /^\/v1\/files\/([^/]+)(\/content)?$/;

type FileHandler = (
  exchange: KnownCall & ReplyToClient & StreamToClient & SentAnswer,
  deps: UploadFileDeps,
) => Promise<void>;

/** Undefined for every other address. */
export function findFilesEndpoint(method: string, path: string): FileHandler | undefined {
  if (path === "/v1/files") return { GET: listFiles, POST: uploadFile }[method];
  const [, id = "", content] = oneFile.exec(path) ?? [];
  if (!objectId.test(id)) return undefined;
  if (method === "GET")
    return (exchange, deps) => (content ? readContent : readFile)(exchange, id, deps);
  return method === "DELETE" && !content
    ? (exchange, deps) => deleteFile(exchange, id, deps)
    : undefined;
}

async function listFiles(exchange: KnownCall & ReplyToClient, deps: UploadFileDeps): Promise<void> {
  const { caller } = await admitObjectRequest(exchange, deps);
  const asked = new URLSearchParams(exchange.request.url?.split("?", 2)[1]);
  const page = await pageAsked(asked, caller, deps);
  const rows = await deps.files.page(caller, { ...page, limit: page.limit + 1 });
  const data = rows.slice(0, page.limit).map(buildFileObject);
  const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
  sendJson(exchange, { object: "list", data, ...ends, has_more: rows.length > page.limit });
}

async function pageAsked(
  asked: URLSearchParams,
  caller: CallerIdentity,
  { files }: Pick<UploadFileDeps, "files">,
): Promise<FilePage> {
  const limit = Number(asked.get("limit") ?? pageDefault);
  if (!Number.isInteger(limit) || limit < 1)
    throw refuseBadRequest("invalid_request_error", "limit must be a positive integer", "limit");
  const order = asked.get("order") ?? "desc";
  if (order !== "asc" && order !== "desc")
    throw refuseBadRequest("invalid_request_error", "order must be asc or desc", "order");
  const afterId = asked.get("after");
  const after = afterId === null ? undefined : await files.find(caller, afterId);
  if (afterId !== null && !after)
    throw refuseBadRequest("invalid_request_error", "after names no file", "after");
  return {
    purpose: asked.get("purpose") ?? undefined,
    after: after?.id,
    order,
    limit: Math.min(limit, pageMax),
  };
}

async function readFile(
  exchange: KnownCall & ReplyToClient,
  id: string,
  deps: UploadFileDeps,
): Promise<void> {
  const { row } = await ownFile(exchange, id, deps);
  sendJson(exchange, buildFileObject(row));
}

/**
 * The file's bytes at the client's pace. Their type is never a page: users choose what they store.
 */
async function readContent(
  exchange: KnownCall & ReplyToClient & StreamToClient,
  id: string,
  deps: UploadFileDeps,
): Promise<void> {
  const { home } = await ownFile(exchange, id, deps);
  const answer = await askHome(
    exchange,
    home,
    { method: "GET", path: `files/${id}/content` },
    deps,
  );
  await passBytes(exchange, answer, "application/octet-stream");
}

async function deleteFile(
  exchange: KnownCall & ReplyToClient,
  id: string,
  deps: UploadFileDeps,
): Promise<void> {
  const { home } = await ownFile(exchange, id, deps);
  const forget = () =>
    deps.providerStates.forget(id, home.channel, [deps.files.remove(id, home.channel.id)]);
  try {
    const answer = await askHome(exchange, home, { method: "DELETE", path: `files/${id}` }, deps);
    await readObject(answer, objectAnswerMax);
  } catch (error) {
    // The provider has it no longer, as after its expiry.
    if (error instanceof RelayRefused && error.refusal.status === 404) await forget();
    throw error;
  }
  await forget();
  sendJson(exchange, { id, object: "file", deleted: true });
}

interface OwnFile {
  row: ProviderFileRow;
  home: ObjectHome;
}

/** Throws the same for a file of another user as for one that never existed. */
async function ownFile(exchange: KnownCall, id: string, deps: UploadFileDeps): Promise<OwnFile> {
  const { caller } = await admitObjectRequest(exchange, deps);
  const row = await deps.files.find(caller, id);
  const home = row && (await deps.providerStates.find("file", id, caller, deps.channels.snapshot));
  if (!home) throw refuseFileNotFound();
  return { row, home };
}

async function askHome(
  exchange: ClientPresence,
  home: ObjectHome,
  request: ObjectRequest,
  deps: UploadFileDeps,
): Promise<UpstreamAnswer> {
  const sent = await sendObjectRequest(deps, home, request, (upstream) =>
    exchange.onClientLeave(() => upstream.abort("the client left")),
  );
  if ("answer" in sent) return sent.answer;
  throw sent.error.status === 404 ? refuseFileNotFound() : new RelayRefused(sent.error.refusal);
}

const refuseFileNotFound = (): RelayRefused =>
  new RelayRefused({
    status: 404,
    type: "invalid_request_error",
    code: null,
    message: "The file was not found",
  });
