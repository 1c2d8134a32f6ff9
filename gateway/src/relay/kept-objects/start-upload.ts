/**
 * `POST /upload/v1beta/files`: begins an upload in pieces, and gives the client an address of the
 * gateway for them.
 */
import type { IncomingHttpHeaders } from "node:http";
import { ownerColumns } from "../admission/kept-owner.ts";
import { runAsCreation } from "../creations/as-creation.ts";
import { chooseAccounts, keepsObjects } from "../creations/choose-accounts.ts";
import { beginCreation, createFree, readHome } from "../creations/creation.ts";
import { sendObjectRequest } from "../creations/provider-objects.ts";
import { sendJson } from "../endpoints/json-endpoint.ts";
import type { ArrivedRequest, KnownCall, ReplyToClient, SentAnswer } from "../exchange-parts.ts";
import type { HomeFinder } from "../provider-states/provider-states.ts";
import { hashAccount } from "../provider-states/state-rules.ts";
import { freeTerms, readBody } from "../read-body.ts";
import type { RelaySettings } from "../relay-settings.ts";
import { formatGroupsText } from "../routing/channel-groups.ts";
import { admitObjectRequest } from "../stored-files/admit-object-request.ts";
import { objectAnswerMax } from "../stored-files/file-object.ts";
import { filesMax } from "../stored-files/upload-file.ts";
import { type JsonRecord, record } from "../wire/json-parts.ts";
import { RelayRefused, refuseBadRequest, refuseDenied } from "../wire/relay-refusal.ts";
import { besideGeminiUploads, fileModel, geminiFiles, uploadPath } from "./gemini-file.ts";
import type { KeptCreationDeps } from "./kept-creation-deps.ts";
import { parseObjectBody } from "./object-body.ts";
import { openUploadsMax, type UploadSessions } from "./upload-sessions.ts";

export type UploadDeps = KeptCreationDeps & {
  settings: Pick<RelaySettings, "siteAddress">;
  uploads: UploadSessions;
  providerStates: HomeFinder;
};

/** Google's own limit of one file. */
const fileBytesMax = 2 * 1024 ** 3;
const bodyMax = 64 * 1024;
const addressMax = 4_096;
/**
 * A name of the client's own would be taken by one user and read by the next: all share the
 * provider's names.
 */
const members = ["displayName", "display_name", "mimeType", "mime_type", "sizeBytes", "size_bytes"];
const mediaType = /^[\w.+-]{1,100}\/[\w.+-]{1,100}(?:; ?[\w-]+=[\w.+-]+){0,4}$/;
const exposed = ["access-control-expose-headers", "x-goog-upload-url, x-goog-upload-status"];

/** Throws `RelayRefused`. */
async function start(
  exchange: KnownCall & ReplyToClient & SentAnswer,
  deps: UploadDeps,
): Promise<void> {
  const { caller, pin } = await admitObjectRequest(exchange, deps);
  if (deps.guards.isOn()) await deps.guards.refuseUnread(caller);
  const { tokenId } = caller;
  const { bytes, type } = announced(exchange.request.headers);
  const file = parseFile(
    parseObjectBody(await readBody(exchange.request, bodyMax, freeTerms(exchange, deps)), ["file"]),
  );
  const { kind } = geminiFiles;
  if ((await deps.keptObjects.count(caller, kind)) >= filesMax)
    throw refuseBadRequest(
      "too_many_files",
      `A user may store ${filesMax} files; delete some first`,
    );
  // Before the provider is asked; what decides is the statement that begins the upload.
  if ((await deps.uploads.count(caller)) >= openUploadsMax) throw refuseTooMany();
  const [latest] = await deps.keptObjects.page(caller, kind, {
    after: undefined,
    order: "desc",
    limit: 1,
  });
  const choice = await chooseAccounts(
    {
      model: fileModel,
      keeps: (channel) => keepsObjects(channel, caller, besideGeminiUploads),
      pin,
      latestChannelId: latest?.channel_id,
      missing: () =>
        refuseDenied(
          503,
          `No channel keeps files of Gemini for the ${formatGroupsText(caller.groups)}`,
        ),
    },
    caller,
    deps,
  );
  const request = {
    method: "POST",
    api: besideGeminiUploads,
    path: uploadPath,
    headers: [
      ...["x-goog-upload-protocol", "resumable", "x-goog-upload-command", "start"],
      ...["x-goog-upload-header-content-length", String(bytes)],
      ...(type === undefined ? [] : ["x-goog-upload-header-content-type", type]),
    ],
    json: Buffer.from(JSON.stringify({ file })),
  } as const;
  let id: string | undefined;
  const creation = beginCreation(
    exchange,
    caller,
    { entry: "gemini_files", model: fileModel, choice },
    deps,
  );
  const started = await createFree(
    creation,
    {
      async ask(attempt) {
        const sent = await sendObjectRequest(deps, readHome(attempt), request, (upstream) =>
          exchange.onClientLeave(() => upstream.abort("the client left")),
        );
        if ("error" in sent) return sent;
        const query = findUploadQuery(sent.answer.headers["x-goog-upload-url"]);
        await sent.answer.readAll(objectAnswerMax);
        return query
          ? { made: query }
          : { unusable: "The provider's answer has no address of an upload" };
      },
      async remember(query, { channel, key }, also) {
        const owner = {
          ...ownerColumns(caller),
          token_id: tokenId,
          channel_id: channel.id,
          key_hash: hashAccount(channel, key),
        };
        id = await deps.uploads.begin({ ...owner, bytes, query }, also);
        if (id === undefined) throw refuseTooMany();
      },
    },
    deps,
  );
  if (!started) return;
  const address = `${readSiteAddress(exchange, deps)}/upload/v1beta/files?upload_id=${id}&upload_protocol=resumable`;
  sendJson(exchange, {}, [
    "x-goog-upload-url",
    address,
    "x-goog-upload-status",
    "active",
    ...exposed,
  ]);
}

export const startUpload = runAsCreation("gemini_files", start);

/** Throws `RelayRefused`. */
function announced(headers: IncomingHttpHeaders): { bytes: number; type: string | undefined } {
  if (
    headers["x-goog-upload-protocol"] !== "resumable" ||
    headers["x-goog-upload-command"] !== "start"
  )
    throw refuseWrong(
      "An upload begins with X-Goog-Upload-Protocol: resumable and X-Goog-Upload-Command: start",
    );
  const length = String(headers["x-goog-upload-header-content-length"] ?? "");
  if (!/^\d{1,15}$/.test(length))
    throw refuseWrong("X-Goog-Upload-Header-Content-Length must be the size in bytes");
  const bytes = Number(length);
  if (bytes > fileBytesMax)
    throw new RelayRefused({
      status: 413,
      type: "invalid_request_error",
      code: "request_too_large",
      message: `A file may have at most ${fileBytesMax / 1024 ** 2} MiB`,
    });
  const type = headers["x-goog-upload-header-content-type"];
  if (type === undefined) return { bytes, type };
  if (typeof type !== "string" || !mediaType.test(type))
    throw refuseWrong("X-Goog-Upload-Header-Content-Type must be a media type");
  return { bytes, type };
}

/** Throws `RelayRefused`. */
function parseFile(body: JsonRecord): JsonRecord {
  const file = record(body.file);
  const other = Object.keys(file).find((name) => !members.includes(name));
  if (other === "name")
    throw refuseBadRequest(
      "invalid_request_error",
      "file.name is given by the provider; leave it out",
      "file.name",
    );
  if (other !== undefined)
    throw refuseBadRequest(
      "invalid_request_error",
      `file.${other.slice(0, 100)} is not offered here`,
      "file",
    );
  return file;
}

/**
 * Only what the address asks for is kept: pieces go to the channel's own address, whatever server
 * this one names.
 */
function findUploadQuery(address: string | string[] | undefined): URLSearchParams | undefined {
  const url =
    typeof address === "string" && address.length <= addressMax ? URL.parse(address) : null;
  return url?.searchParams.has("upload_id") ? url.searchParams : undefined;
}

/**
 * `readSiteAddress` says where this client reaches the gateway; without a public URL, as it was
 * addressed now.
 */
function readSiteAddress(
  { request: { headers } }: ArrivedRequest,
  { settings: { siteAddress } }: Pick<UploadDeps, "settings">,
): string {
  const { host = "localhost", "x-forwarded-proto": protocol } = headers;
  return siteAddress ?? `${protocol === "https" ? "https" : "http"}://${host}`;
}

const refuseTooMany = (): RelayRefused =>
  refuseBadRequest(
    "too_many_uploads",
    `A user may have ${openUploadsMax} unfinished uploads; they end after a day`,
  );

const refuseWrong = (message: string): RelayRefused =>
  refuseBadRequest("invalid_upload_request", message);
