/**
 * `GET` and `DELETE /v1/responses/{id}` and its `input_items`: a response that the gateway stores,
 * or one that its provider keeps, for the user who received it. They cost nothing and leave no row.
 */
import type { CallerIdentity, CallerReach } from "../admission/caller-parts.ts";
import { admitTokenCount } from "../admission/token-limits.ts";
import type { ArrivedRequest, KnownCall, ReplyToClient } from "../exchange-parts.ts";
import { buildResponsesAccess, responses } from "../formats/responses.ts";
import type { IssuedObjects } from "../provider-states/provider-states.ts";
import type { SendableCall } from "../providers/upstream-request.ts";
import type { KeySettings, TokenCountSettings } from "../relay-settings.ts";
import type { RelayChannelTable } from "../routing/channel-table.ts";
import type { StoredResponses } from "../stored-responses/stored-responses.ts";
import { type SendDeps, send } from "../upstream/send.ts";
import { isRecord, type JsonRecord } from "../wire/json-parts.ts";
import { addMembers } from "../wire/json-spans.ts";
import { RelayRefused, refuseBadRequest } from "../wire/relay-refusal.ts";
import { authenticateExchange, sendJson } from "./json-endpoint.ts";
import type { HolderDeps } from "./key-usage.ts";

export interface StoredResponseDeps extends HolderDeps, SendDeps {
  settings: KeySettings & TokenCountSettings;
  storedResponses: StoredResponses;
  providerStates: IssuedObjects;
  channels: Pick<RelayChannelTable, "snapshot">;
}

const answerMax = 64 * 1024 * 1024;
/** Others would change what is returned in ways that are not checked here. */
const passedParameters = ["after", "before", "include", "include[]", "limit", "order"];
const idPattern = /^[\w-]{1,256}$/;

export async function readResponse(
  exchange: KnownCall & ReplyToClient,
  id: string,
  deps: StoredResponseDeps,
): Promise<void> {
  const caller = await readAdmitted(exchange, deps);
  const stored = await deps.storedResponses.find(id, caller);
  if (stored) sendJson(exchange, stored.response);
  else await passKept(exchange, { id, below: id, method: "GET" }, caller, deps);
}

export async function listInputItems(
  exchange: KnownCall & ReplyToClient,
  id: string,
  deps: StoredResponseDeps,
): Promise<void> {
  const caller = await readAdmitted(exchange, deps);
  const stored = await deps.storedResponses.find(id, caller);
  if (stored) sendJson(exchange, pageOfItems(stored.input, buildParameters(exchange)));
  else await passKept(exchange, { id, below: `${id}/input_items`, method: "GET" }, caller, deps);
}

export async function deleteResponse(
  exchange: KnownCall & ReplyToClient,
  id: string,
  deps: StoredResponseDeps,
): Promise<void> {
  const caller = await readAdmitted(exchange, deps);
  if (await deps.storedResponses.remove(id, caller))
    sendJson(exchange, { id, object: "response", deleted: true });
  else await passKept(exchange, { id, below: id, method: "DELETE" }, caller, deps);
}

/** Reads are limited as counts of tokens are: the user pays for neither. */
async function readAdmitted(
  exchange: KnownCall,
  deps: StoredResponseDeps,
): Promise<CallerIdentity & CallerReach> {
  const caller = await authenticateExchange(exchange, deps);
  await admitTokenCount(caller, deps.settings.tokenCountsPerMinute(), deps.counters);
  return caller;
}

interface KeptAccess {
  id: string;
  below: string;
  method: "GET" | "DELETE";
}

/** Asks the channel and key that issued the id. Throws `RelayRefused`. */
async function passKept(
  exchange: ArrivedRequest & ReplyToClient,
  { id, below, method }: KeptAccess,
  caller: CallerIdentity & CallerReach,
  deps: StoredResponseDeps,
): Promise<void> {
  const parameters = buildParameters(exchange);
  const kept = idPattern.test(id)
    ? await deps.providerStates.find("response", id, caller, deps.channels.snapshot)
    : undefined;
  if (!kept) throw notFound();
  const { model, key } = kept;
  const channel = { ...kept.channel, key: key.key, keyIndex: key.index };
  const upstreamModel = channel.modelMapping.get(model) ?? model;
  if (!channel.urlsFor(upstreamModel).response_api) throw notFound();
  const query = parameters.size > 0 ? `?${parameters}` : "";
  const sent = await send(
    deps,
    buildAccessCall(model, method, below + query),
    channel,
    upstreamModel,
    (upstream) => exchange.onClientLeave(() => upstream.abort("the client left")),
  );
  if ("error" in sent)
    throw sent.error.status === 404 ? notFound() : new RelayRefused(sent.error.refusal);
  const body = await sent.answer.readAll(answerMax).catch(() => Buffer.alloc(0));
  const json = parseObject(body);
  if (!json) throw notWhole();
  if (method === "DELETE") await deps.providerStates.forget(id, kept.channel);
  const isRenamed = upstreamModel !== model && json.model !== undefined;
  exchange.answer(
    200,
    "application/json",
    isRenamed ? addMembers(body, { model: JSON.stringify(model) }) : body,
  );
}

function buildAccessCall(model: string, method: "GET" | "DELETE", below: string): SendableCall {
  const client = buildResponsesAccess(method, below);
  const body = Buffer.alloc(0);
  return {
    ...responses.parseRequest({ model }, true),
    client,
    upstream: client.upstream,
    body,
    headers: [],
  };
}

function buildParameters({ request: { url = "" } }: ArrivedRequest): URLSearchParams {
  const asked = new URLSearchParams(url.split("?", 2)[1]);
  if (asked.get("stream") === "true")
    throw refuseBadRequest(
      "invalid_request_error",
      "stream is not offered here: a response is kept when it is whole",
      "stream",
    );
  return new URLSearchParams([...asked].filter(([name]) => passedParameters.includes(name)));
}

const pageDefault = 20;
const pageMax = 100;

/**
 * `pageOfItems` gives one page of the items that the gateway stores, which have no ids of their
 * own; the latest first, unless asked otherwise.
 */
export function pageOfItems(items: readonly JsonRecord[], parameters: URLSearchParams): JsonRecord {
  const named = items.map((item, index) => ({
    ...item,
    id: typeof item.id === "string" ? item.id : `item_${index}`,
  }));
  const ordered = parameters.get("order") === "asc" ? named : named.toReversed();
  const limit = Number(parameters.get("limit") ?? pageDefault);
  if (!Number.isInteger(limit) || limit < 1 || limit > pageMax)
    throw refuseBadRequest(
      "invalid_request_error",
      `limit must be an integer from 1 to ${pageMax}`,
      "limit",
    );
  const after = parameters.get("after");
  const start = after === null ? 0 : ordered.findIndex(({ id }) => id === after) + 1;
  if (after !== null && start === 0)
    throw refuseBadRequest("invalid_request_error", "after names no item of the response", "after");
  const data = ordered.slice(start, start + limit);
  const has_more = start + limit < ordered.length;
  return {
    object: "list",
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more,
  };
}

function parseObject(body: Buffer): JsonRecord | undefined {
  try {
    const json: unknown = JSON.parse(body.toString("utf8"));
    return isRecord(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

/**
 * `notFound` does the same for a response that never existed, one that has expired, and one of
 * another user.
 */
const notFound = (): RelayRefused =>
  new RelayRefused({
    status: 404,
    type: "invalid_request_error",
    code: null,
    message: "The response was not found",
  });

const notWhole = (): RelayRefused =>
  new RelayRefused({
    status: 502,
    type: "upstream_error",
    code: "bad_response_body",
    message: "The provider's answer is not whole",
  });
