/**
 * `POST /v1/batches`: the input is checked line by line and held for, and then the provider is told
 * to run it.
 */
import type {
  CallerFunds,
  CallerIdentity,
  CallerReach,
  KeyRules,
} from "../admission/caller-parts.ts";
import type { FrameDeps } from "../call-refusals.ts";
import { runAsCreation } from "../creations/as-creation.ts";
import { type AccountDeps, chooseAccounts } from "../creations/choose-accounts.ts";
import { objectId, sendObjectRequest } from "../creations/provider-objects.ts";
import { sendJson } from "../endpoints/json-endpoint.ts";
import type { KnownCall, ReplyToClient, SentAnswer } from "../exchange-parts.ts";
import type { Guards } from "../guards/guards.ts";
import type { CallStates, IssuedObjects, ObjectHome } from "../provider-states/provider-states.ts";
import { freeTerms, type ReadBodyDeps, readBody } from "../read-body.ts";
import {
  admitObjectRequest,
  type ObjectRequestDeps,
} from "../stored-files/admit-object-request.ts";
import type { FileStore } from "../stored-files/file-store.ts";
import { boundOutline } from "../wire/bounded-json.ts";
import { isRecord, type JsonRecord } from "../wire/json-parts.ts";
import { RelayRefused, refuseBadRequest } from "../wire/relay-refusal.ts";
import type { CheckDeps } from "./batch-calls.ts";
import { checkInput, refuseChangedRequests } from "./batch-input.ts";
import { batchFormats } from "./batch-line.ts";
import { admitBatch, type BeginBatchDeps, beginBatch } from "./begin-batch.ts";
import { openAiBatches } from "./openai-batches.ts";

export type CreateBatchDeps = BeginBatchDeps &
  CheckDeps &
  AccountDeps &
  FrameDeps &
  ObjectRequestDeps &
  ReadBodyDeps & {
    guards: Guards;
    providerStates: IssuedObjects & CallStates;
    files: FileStore;
  };

const bodyMax = 64 * 1024;

async function create(
  exchange: KnownCall & ReplyToClient & SentAnswer,
  deps: CreateBatchDeps,
): Promise<void> {
  const { caller } = await admitObjectRequest(exchange, deps);
  // Another key of the user may have stored the lines.
  if (deps.guards.isOn()) await deps.guards.refuseUnread(caller);
  const asked = readBatchRequest(
    await readBody(exchange.request, bodyMax, freeTerms(exchange, deps)),
  );
  const file = await deps.files.find(caller, asked.inputFileId);
  const home =
    file &&
    (await deps.providerStates.find("file", asked.inputFileId, caller, deps.channels.snapshot));
  if (!home) throw refuseWrong("input_file_id", "names no file of yours");
  if (file.purpose !== "batch")
    throw refuseWrong("input_file_id", "names a file whose purpose is not batch");
  refuseChangedRequests(home.channel);
  await admitBatch(exchange, caller, () => openBatch(exchange, asked, caller, home, deps), deps);
}

interface AskedBatch {
  inputFileId: string;
  endpoint: string;
  /** `body` is for the provider: the members that were checked, and no others. */
  body: JsonRecord;
}

const metadataMax = 16;
const metadataTextMax = 512;
const expiryFields = ["anchor", "seconds"];

/** Throws `RelayRefused`. */
export function readBatchRequest(bytes: Buffer): AskedBatch {
  let json: unknown;
  const text = bytes.toString("utf8");
  boundOutline(text);
  try {
    json = JSON.parse(text);
  } catch {
    throw refuseBadRequest("invalid_request_error", "The body is not valid JSON");
  }
  if (!isRecord(json))
    throw refuseBadRequest("invalid_request_error", "The body must be an object");
  const { input_file_id, endpoint, completion_window, metadata, output_expires_after, ...others } =
    json;
  const [other] = Object.keys(others);
  if (other !== undefined) throw refuseWrong(other, "is no member of a batch");
  if (typeof input_file_id !== "string" || !objectId.test(input_file_id))
    throw refuseWrong("input_file_id", "is missing");
  if (typeof endpoint !== "string" || !Object.hasOwn(batchFormats, endpoint))
    throw refuseWrong("endpoint", `must be one of ${Object.keys(batchFormats).join(", ")}`);
  if (completion_window !== "24h") throw refuseWrong("completion_window", "must be 24h");
  if (metadata != null && !isMetadata(metadata))
    throw refuseWrong(
      "metadata",
      `must have at most ${metadataMax} texts of at most ${metadataTextMax} characters`,
    );
  const isExpiry =
    isRecord(output_expires_after) &&
    output_expires_after.anchor === "created_at" &&
    Number.isInteger(output_expires_after.seconds) &&
    Object.keys(output_expires_after).every((name) => expiryFields.includes(name));
  if (output_expires_after != null && !isExpiry)
    throw refuseWrong(
      "output_expires_after",
      "must have the anchor created_at and a number of seconds",
    );
  return {
    inputFileId: input_file_id,
    endpoint,
    body: {
      input_file_id,
      endpoint,
      completion_window,
      ...(metadata != null && { metadata }),
      ...(output_expires_after != null && { output_expires_after }),
    },
  };
}

const isMetadata = (value: unknown): boolean =>
  isRecord(value) &&
  Object.keys(value).length <= metadataMax &&
  Object.values(value).every((text) => typeof text === "string" && text.length <= metadataTextMax);

const refuseWrong = (param: string, issue: string): RelayRefused =>
  refuseBadRequest("invalid_request_error", `${param} ${issue}`, param);

async function openBatch(
  exchange: KnownCall & ReplyToClient & SentAnswer,
  { inputFileId, endpoint, body }: AskedBatch,
  caller: CallerIdentity & CallerReach & CallerFunds & KeyRules,
  home: ObjectHome,
  deps: CreateBatchDeps,
): Promise<void> {
  const onAbortable = (call: { abort(reason: string): void }): void =>
    exchange.onClientLeave(() => call.abort("the client left"));
  const format = batchFormats[endpoint];
  if (!format) throw refuseWrong("endpoint", "is not offered");
  const content = await sendObjectRequest(
    deps,
    home,
    { method: "GET", path: `files/${inputFileId}/content` },
    onAbortable,
  );
  if ("error" in content) throw new RelayRefused(content.error.refusal);
  const checked = await checkInput(content.answer, { caller, home, endpoint, format }, deps);
  const choice = await chooseAccounts(
    {
      model: checked.model,
      bound: home,
      keeps: () => true,
      missing: () => refuseWrong("input_file_id", "is kept by no channel"),
    },
    caller,
    deps,
  );
  const checkedAt = new Map(choice.candidates.map((candidate) => [candidate, checked]));
  const request = {
    method: "POST",
    path: "batches",
    json: Buffer.from(JSON.stringify(body)),
  } as const;
  const asked = { dialect: openAiBatches, endpoint, inputFileId, request };
  const batch = await beginBatch(exchange, asked, { caller, choice, bound: home, checkedAt }, deps);
  if (batch) sendJson(exchange, batch);
}

export const createBatch = runAsCreation("batches", create);
