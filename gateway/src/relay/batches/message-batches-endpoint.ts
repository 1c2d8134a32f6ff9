/**
 * `/v1/messages/batches`: a user's own batches in Anthropic's dialect, of which the gateway keeps
 * the provider's last answer.
 */
import type { ProviderBatchRow } from "../../storage/tables/call-tables.ts";
import type { CallerIdentity, CallerReach } from "../admission/caller-parts.ts";
import {
  type ObjectRequest,
  objectId,
  readObject,
  sendObjectRequest,
} from "../creations/provider-objects.ts";
import { sendJson } from "../endpoints/json-endpoint.ts";
import type {
  ClientPresence,
  ErrorFormatChoice,
  KnownCall,
  ReplyToClient,
  SentAnswer,
  StreamToClient,
} from "../exchange-parts.ts";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import type { ObjectHome } from "../provider-states/provider-states.ts";
import { admitObjectRequest } from "../stored-files/admit-object-request.ts";
import { objectAnswerMax } from "../stored-files/file-object.ts";
import { passBytes } from "../stored-files/pass-bytes.ts";
import type { AbortableCall } from "../upstream/answer-parts.ts";
import { type JsonRecord, parseObject } from "../wire/json-parts.ts";
import { RelayRefused, refuseBadRequest } from "../wire/relay-refusal.ts";
import {
  anthropicBatches,
  besideMessages,
  messageBatchesPath,
  showMessageBatch,
} from "./anthropic-batches.ts";
import type { BatchPage } from "./batch-store.ts";
import { createMessageBatch, type MessageBatchDeps } from "./create-message-batch.ts";

const pageDefault = 20;
const pageMax = 1_000;
const oneBatch = /^\/v1\/messages\/batches\/([^/]+)(?:\/(cancel|results))?$/;

type MessageBatchHandler = (
  exchange: KnownCall & ErrorFormatChoice & ReplyToClient & StreamToClient & SentAnswer,
  deps: MessageBatchDeps,
) => Promise<void>;

/** Undefined for every other address. */
export function findMessageBatchesEndpoint(
  method: string,
  path: string,
): MessageBatchHandler | undefined {
  const handler = findHandler(method, path);
  return (
    handler &&
    (async (exchange, deps) => {
      exchange.speak(anthropicMessages.errorFormat);
      await handler(exchange, deps);
    })
  );
}

function findHandler(method: string, path: string): MessageBatchHandler | undefined {
  if (path === messageBatchesPath) return { GET: listBatches, POST: createMessageBatch }[method];
  const [, id = "", part] = oneBatch.exec(path) ?? [];
  if (!objectId.test(id)) return undefined;
  const handlers = {
    "GET ": readBatch,
    "DELETE ": deleteBatch,
    "POST cancel": cancelBatch,
    "GET results": readBatchResults,
  };
  const handler = handlers[`${method} ${part ?? ""}` as keyof typeof handlers];
  return handler && ((exchange, deps) => handler(exchange, id, deps));
}

const showRow = ({ answer }: ProviderBatchRow): JsonRecord =>
  showMessageBatch(parseObject(answer ?? ""));

async function listBatches(
  exchange: KnownCall & ReplyToClient,
  deps: MessageBatchDeps,
): Promise<void> {
  const { caller } = await admitObjectRequest(exchange, deps);
  const asked = new URLSearchParams(exchange.request.url?.split("?", 2)[1]);
  const page = await pageAsked(asked, caller, deps);
  const found = await deps.batches.store.page(caller, "anthropic", {
    ...page,
    limit: page.limit + 1,
  });
  const isBefore = page.before !== undefined;
  const data = (isBefore ? found.slice(-page.limit) : found.slice(0, page.limit)).map(showRow);
  const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
  sendJson(exchange, { data, has_more: found.length > page.limit, ...ends });
}

async function pageAsked(
  asked: URLSearchParams,
  caller: CallerIdentity,
  deps: MessageBatchDeps,
): Promise<BatchPage> {
  const limit = Number(asked.get("limit") ?? pageDefault);
  if (!Number.isInteger(limit) || limit < 1 || limit > pageMax)
    throw refuseBadRequest(
      "invalid_request_error",
      `limit must be an integer from 1 to ${pageMax}`,
      "limit",
    );
  const idOf = async (param: string): Promise<number | undefined> => {
    const named = asked.get(param);
    if (named === null) return undefined;
    const row = await deps.batches.store.find(caller, "anthropic", named);
    if (!row) throw refuseBadRequest("invalid_request_error", `${param} names no batch`, param);
    return row.id;
  };
  const [after, before] = [await idOf("after_id"), await idOf("before_id")];
  if (after !== undefined && before !== undefined)
    throw refuseBadRequest(
      "invalid_request_error",
      "Only one of after_id and before_id may be given",
    );
  return { after, before, limit };
}

/** A batch that has ended is charged before its client reads that it has. */
async function readBatch(
  exchange: KnownCall & ReplyToClient,
  id: string,
  deps: MessageBatchDeps,
): Promise<void> {
  const { row } = await ownBatch(exchange, id, deps);
  sendJson(exchange, showMessageBatch(await latest(row, deps)));
}

const latest = async (
  row: ProviderBatchRow,
  { batches }: Pick<MessageBatchDeps, "batches">,
): Promise<JsonRecord> =>
  row.state === "settled" ? parseObject(row.answer ?? "") : batches.refresh(row);

async function cancelBatch(
  exchange: KnownCall & ReplyToClient,
  id: string,
  deps: MessageBatchDeps,
): Promise<void> {
  const { row, home } = await readHomeOfOwn(exchange, id, deps);
  if (row.state === "settled")
    throw refuseBadRequest("invalid_request_error", "The batch has ended");
  await askHome(home, { method: "POST", path: `messages/batches/${id}/cancel` }, deps);
  // It may have ended at once, and then it is charged first.
  sendJson(exchange, showMessageBatch(await deps.batches.refresh(row)));
}

async function readBatchResults(
  exchange: KnownCall & ReplyToClient & StreamToClient,
  id: string,
  deps: MessageBatchDeps,
): Promise<void> {
  const { row, home } = await readHomeOfOwn(exchange, id, deps);
  if (!anthropicBatches.endOf(await latest(row, deps))) throw notEnded("Its results can be read");
  const request = {
    method: "GET",
    api: besideMessages,
    path: `messages/batches/${id}/results`,
  } as const;
  const sent = await sendObjectRequest(deps, home, request, (call) =>
    cancelOnLeave(exchange, call),
  );
  if ("error" in sent) throw new RelayRefused(sent.error.refusal);
  await passBytes(exchange, sent.answer, "application/x-jsonl");
}

const cancelOnLeave = (exchange: ClientPresence, call: AbortableCall): void =>
  exchange.onClientLeave(() => call.abort("the client left"));

async function deleteBatch(
  exchange: KnownCall & ReplyToClient,
  id: string,
  deps: MessageBatchDeps,
): Promise<void> {
  const { row, home } = await readHomeOfOwn(exchange, id, deps);
  if (!anthropicBatches.endOf(await latest(row, deps))) throw notEnded("It can be deleted");
  await askHome(home, { method: "DELETE", path: `messages/batches/${id}` }, deps);
  await deps.providerStates.forget(id, home.channel, [deps.batches.store.remove(row.id)]);
  sendJson(exchange, { id, type: "message_batch_deleted" });
}

const notEnded = (what: string): RelayRefused =>
  refuseBadRequest(
    "invalid_request_error",
    `The batch has not ended. ${what} once its processing_status is ended`,
  );

async function askHome(
  home: ObjectHome,
  request: ObjectRequest,
  deps: MessageBatchDeps,
): Promise<JsonRecord> {
  const sent = await sendObjectRequest(
    deps,
    home,
    { ...request, api: besideMessages },
    () => undefined,
  );
  if ("error" in sent) throw new RelayRefused(sent.error.refusal);
  return readObject(sent.answer, objectAnswerMax);
}

interface OwnBatch {
  row: ProviderBatchRow;
  caller: CallerIdentity & CallerReach;
}

/** Throws the same for a batch of another user as for one that never existed. */
async function ownBatch(
  exchange: KnownCall,
  id: string,
  deps: MessageBatchDeps,
): Promise<OwnBatch> {
  const { caller } = await admitObjectRequest(exchange, deps);
  const row = await deps.batches.store.find(caller, "anthropic", id);
  if (!row) throw refuseBatchNotFound();
  return { row, caller };
}

async function readHomeOfOwn(
  exchange: KnownCall,
  id: string,
  deps: MessageBatchDeps,
): Promise<OwnBatch & { home: ObjectHome }> {
  const { row, caller } = await ownBatch(exchange, id, deps);
  const home = await deps.providerStates.find("batch", id, caller, deps.channels.snapshot);
  if (!home) throw refuseBatchNotFound();
  return { row, caller, home };
}

const refuseBatchNotFound = (): RelayRefused =>
  new RelayRefused({
    status: 404,
    type: "not_found_error",
    code: null,
    message: "The batch was not found",
  });
