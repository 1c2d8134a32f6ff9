/** `POST /v1/batches`: the input is checked line by line and held for, and then the provider is told to run it. */
import { StorageUnavailable } from "../../storage/database.ts";
import type { ProviderBatchRow } from "../../storage/tables/call-tables.ts";
import { idTime } from "../../storage/time-ids.ts";
import type { RelayCaller } from "../admission/api-keys.ts";
import { budgetRefused, isBudgetRefusal } from "../admission/budget-refusals.ts";
import { admit } from "../admission/token-limits.ts";
import { quotaRefusals } from "../admit-call.ts";
import { sendJson } from "../endpoints/json-endpoint.ts";
import type { Exchange } from "../exchange.ts";
import { readBody } from "../read-request.ts";
import type { RelayDeps } from "../relay-deps.ts";
import { objectAnswerMax, objectId } from "../stored-files/file-object.ts";
import {
  admitObjectRequest,
  type ObjectHome,
  readObject,
  sendObjectRequest,
} from "../stored-files/provider-objects.ts";
import { isRecord, type JsonRecord } from "../wire/json-parts.ts";
import { badRequest, noRetryHeaders, RelayRefused } from "../wire/relay-refusal.ts";
import { type CheckedInput, checkInput, refuseChangedRequests } from "./batch-input.ts";
import { batchFormats } from "./batch-line.ts";
import type { BatchTerms } from "./batch-terms.ts";

const bodyMax = 64 * 1024;
/** Of one user at a time: each occupies a part of the balance for up to a day. */
const openMax = 50;
/** The only window that the provider offers. */
const windowMs = 24 * 3_600_000;
/** The hold has no owner that renews it; it ends with the batch. */
const leaseMs = 7 * 24 * 3_600_000;
/** When the provider is asked about a batch whose creation had no usable answer. */
const unknownAskAfterMs = 60_000;

export async function createBatch(exchange: Exchange, deps: RelayDeps): Promise<void> {
  const { caller } = await admitObjectRequest(exchange, deps);
  // Another key of the user may have stored the lines.
  if (deps.guards.isOn()) await deps.guards.refuseUnread(caller);
  const reserve = deps.bodyMemoryBudget.reserveUntilClosed(exchange.response);
  const asked = readBatchRequest(await readBody(exchange.request, bodyMax, reserve));
  const file = await deps.files.find(caller.userId, asked.inputFileId);
  const home = file && (await deps.providerStates.find("file", asked.inputFileId, caller, deps.channels.snapshot));
  if (!home) throw wrong("input_file_id", "names no file of yours");
  if (file.purpose !== "batch") throw wrong("input_file_id", "names a file whose purpose is not batch");
  refuseChangedRequests(home.channel);
  if ((await deps.batches.store.open(caller.userId)) >= openMax)
    throw badRequest("too_many_batches", `A user may have ${openMax} batches that have not ended`);
  const { tokenId, limits } = caller;
  if (limits)
    exchange.admission = await admit({ id: exchange.id, tokenId, limits, promptEstimate: 0 }, deps.counters, deps.now);
  try {
    await openBatch(exchange, asked, caller, home, deps);
  } finally {
    exchange.admission?.finish(0);
  }
}

interface AskedBatch {
  inputFileId: string;
  endpoint: string;
  /** For the provider: the members that were checked, and no others. */
  body: JsonRecord;
}

const metadataMax = 16;
const metadataTextMax = 512;
const expiryFields = ["anchor", "seconds"];

/** Throws `RelayRefused`. */
export function readBatchRequest(bytes: Buffer): AskedBatch {
  let json: unknown;
  try {
    json = JSON.parse(bytes.toString("utf8"));
  } catch {
    throw badRequest("invalid_request_error", "The body is not valid JSON");
  }
  if (!isRecord(json)) throw badRequest("invalid_request_error", "The body must be an object");
  const { input_file_id, endpoint, completion_window, metadata, output_expires_after, ...others } = json;
  const [other] = Object.keys(others);
  if (other !== undefined) throw wrong(other, "is no member of a batch");
  if (typeof input_file_id !== "string" || !objectId.test(input_file_id)) throw wrong("input_file_id", "is missing");
  if (typeof endpoint !== "string" || !Object.hasOwn(batchFormats, endpoint))
    throw wrong("endpoint", `must be one of ${Object.keys(batchFormats).join(", ")}`);
  if (completion_window !== "24h") throw wrong("completion_window", "must be 24h");
  if (metadata != null && !isMetadata(metadata))
    throw wrong("metadata", `must have at most ${metadataMax} texts of at most ${metadataTextMax} characters`);
  const isExpiry =
    isRecord(output_expires_after) &&
    output_expires_after.anchor === "created_at" &&
    Number.isInteger(output_expires_after.seconds) &&
    Object.keys(output_expires_after).every((name) => expiryFields.includes(name));
  if (output_expires_after != null && !isExpiry)
    throw wrong("output_expires_after", "must have the anchor created_at and a number of seconds");
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

const wrong = (param: string, issue: string): RelayRefused =>
  badRequest("invalid_request_error", `${param} ${issue}`, param);

/** The row is there before the hold, and the hold before the provider is told: a crash in between leaves what the clock ends. */
async function openBatch(
  exchange: Exchange,
  { inputFileId, endpoint, body }: AskedBatch,
  caller: RelayCaller,
  home: ObjectHome,
  deps: RelayDeps,
): Promise<void> {
  const onAbortable = (call: { abort(reason: string): void }): void =>
    exchange.onClientLeave(() => call.abort("the client left"));
  const format = batchFormats[endpoint];
  if (!format) throw wrong("endpoint", "is not offered");
  const content = await sendObjectRequest(
    deps,
    home,
    { method: "GET", path: `files/${inputFileId}/content` },
    onAbortable,
  );
  if ("error" in content) throw new RelayRefused(content.error.refusal);
  const checked = await checkInput(content.answer, { caller, home, endpoint, format }, deps);
  exchange.model = checked.model;
  const at = idTime(exchange.id);
  const { tokenId, userId } = caller;
  const budgets = deps.budgets.heldBy({ at, tokenId, userId, model: checked.model, targets: () => [] });
  const row = newRow(exchange, { inputFileId, endpoint, hasBudgets: budgets !== undefined }, checked, caller, home);
  await deps.batches.db.write([deps.batches.store.insert(row)]);
  const drop = () => deps.batches.db.write([deps.batches.store.remove(row.id)]);
  const held = await deps.batches.db
    .money({
      verb: "hold",
      id: row.id,
      walletId: caller.walletId,
      userId,
      tokenId,
      tokenIsUnlimited: caller.isUnlimited,
      amount: checked.amount,
      least: checked.least,
      leaseUntil: at + leaseMs,
      snapshot: JSON.stringify((JSON.parse(row.terms) as BatchTerms).snapshot),
      budgets,
    })
    .catch(async (error: unknown) => {
      if (!(error instanceof StorageUnavailable)) await drop();
      throw error;
    });
  if (held !== "held" && typeof held !== "number") {
    await drop();
    if (isBudgetRefusal(held)) throw await budgetRefused(held, at, deps);
    throw new RelayRefused(quotaRefusals[held]);
  }
  // From here on the client's connection matters no more: the provider may have the batch.
  exchange.onClientLeave(undefined);
  const request = { method: "POST", path: "batches", json: Buffer.from(JSON.stringify(body)) } as const;
  const sent = await sendObjectRequest(deps, home, request, () => undefined);
  if ("error" in sent) {
    const { status, refusal, reason } = sent.error;
    if (status === 0 && !notSentReasons.has(reason)) throw outcomeUnknown();
    await deps.batches.db.money({ verb: "release", id: row.id });
    await drop();
    throw new RelayRefused(refusal);
  }
  const answer = await readObject(sent.answer, objectAnswerMax).catch(() => undefined);
  if (!answer || typeof answer.id !== "string" || !objectId.test(answer.id)) throw outcomeUnknown();
  await deps.batches.accepted(row, answer, home);
  sendJson(exchange, answer);
}

/** The request left no trace at the provider. */
const notSentReasons: ReadonlySet<string> = new Set([
  ...["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT"],
]);

const outcomeUnknown = (): RelayRefused =>
  new RelayRefused({
    status: 502,
    type: "upstream_error",
    code: "batch_outcome_unknown",
    message:
      "The provider gave no usable answer and may run the batch. It appears in GET /v1/batches once that is known; until then its hold stays",
    headers: noRetryHeaders,
  });

function newRow(
  { id, request, receivedAt, shownUrl }: Exchange,
  { inputFileId, endpoint, hasBudgets }: Pick<BatchTerms, "inputFileId" | "endpoint" | "hasBudgets">,
  checked: CheckedInput,
  caller: RelayCaller,
  { channel }: ObjectHome,
): ProviderBatchRow {
  const at = idTime(id);
  const terms: BatchTerms = {
    snapshot: {
      username: caller.username,
      token_name: caller.tokenName,
      origin_model_name: checked.model,
      is_stream: false,
      url: shownUrl,
      method: request.method ?? "",
      body_size: Number(request.headers["content-length"] ?? 0) || 0,
      received_at: receivedAt,
    },
    tokenId: caller.tokenId,
    group: caller.group,
    endpoint,
    inputFileId,
    channelName: channel.name,
    model: checked.model,
    price: checked.cost.frozen,
    lines: checked.lines,
    promptEstimate: checked.promptEstimate,
    promptMax: checked.promptMax,
    completionMax: checked.completionMax,
    isDistrusted: channel.mayReportFalseUsage,
    isPromptSeen: checked.isPromptSeen,
    hasBudgets,
    elapsedMs: Math.max(0, Date.now() - receivedAt),
  };
  return {
    id,
    batch_id: null,
    channel_id: channel.id,
    user_id: caller.userId,
    state: "creating",
    terms: JSON.stringify(terms),
    answer: null,
    created_at: at,
    expires_at: at + windowMs,
    due_at: at + unknownAskAfterMs,
    lease_until: 0,
  };
}
