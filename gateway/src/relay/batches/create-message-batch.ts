/** `POST /v1/messages/batches`: requests that come with the call, each checked and held for as a call to `/v1/messages`. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { channelStatus } from "@tollgate/contract/channels.ts";
import type { RelayCaller } from "../admission/api-keys.ts";
import { modelRefusal } from "../admission/authenticate.ts";
import { sendJson } from "../endpoints/json-endpoint.ts";
import type { Exchange } from "../exchange.ts";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import type { RelayCall } from "../formats/api-format.ts";
import type { StateBinding } from "../provider-states/provider-states.ts";
import { readBody } from "../read-body.ts";
import { callOfJson, passedHeaders } from "../read-request.ts";
import { chargedTerms, isFreeModel, refuseUnpaidCall } from "../refuse-unpaid.ts";
import type { RelayDeps } from "../relay-deps.ts";
import { groupServing, groupsText, inGroupOrder } from "../routing/channel-groups.ts";
import { byPriorityAndWeight } from "../routing/choose-channels.ts";
import { sellerOfType } from "../routing/cost-member-rules.ts";
import { admitObjectRequest } from "../stored-files/admit-object-request.ts";
import { isPinned } from "../stored-files/file-home.ts";
import { modelWithObjects, type ObjectHome } from "../stored-files/provider-objects.ts";
import { boundedOutline } from "../wire/bounded-json.ts";
import { isRecord } from "../wire/json-parts.ts";
import { leadingText } from "../wire/json-spans.ts";
import { badRequest, denied, RelayRefused } from "../wire/relay-refusal.ts";
import { anthropicBatches, besideMessages, messagesEndpoint, shownMessageBatch } from "./anthropic-batches.ts";
import { type CheckedCalls, changesRequests, servesInBatches, withCall } from "./batch-calls.ts";
import { admitBatch, beginBatch } from "./begin-batch.ts";

/** As large as the body of a call may be. */
const bodyMax = 32 * 1024 * 1024;
/** Of one batch. The body has the size of a call's, which holds fewer than Anthropic's 100,000. */
const requestsMax = 10_000;
const customId = /^[\w-]{1,64}$/;
/** Requests that are read before other calls have their turn. */
const turnEvery = 50;

/** Throws `RelayRefused`. */
export async function createMessageBatch(exchange: Exchange, deps: RelayDeps): Promise<void> {
  const { caller, pin } = await admitObjectRequest(exchange, deps);
  const terms = chargedTerms(exchange, deps, (beginning) => {
    // A batch has one model.
    const model = leadingText(beginning.subarray(Math.max(0, beginning.indexOf('"params"'))), "model");
    return model !== undefined && isFreeModel(model, caller, deps);
  });
  const asked = batchRequestsIn(await readBody(exchange.request, bodyMax, terms));
  await admitBatch(exchange, caller, () => openMessageBatch(exchange, asked, caller, pin, deps), deps);
}

interface BatchRequest {
  custom_id: string;
  params: unknown;
}

/** Throws `RelayRefused`. */
export function batchRequestsIn(body: Buffer): BatchRequest[] {
  let json: unknown;
  const text = body.toString("utf8");
  boundedOutline(text);
  try {
    json = JSON.parse(text);
  } catch {
    throw badRequest("invalid_request_error", "The body is not valid JSON");
  }
  if (!isRecord(json)) throw badRequest("invalid_request_error", "The body must be an object");
  const { requests, ...others } = json;
  const [other] = Object.keys(others);
  if (other !== undefined) throw badRequest("invalid_request_error", `${other} is no member of a batch`, other);
  if (!Array.isArray(requests) || requests.length === 0 || requests.length > requestsMax)
    throw badRequest("invalid_request_error", `requests must be a list of 1 to ${requestsMax}`, "requests");
  const ids = new Set<string>();
  return requests.map((request: unknown, index) => {
    const { custom_id: id, params, ...more } = isRecord(request) ? request : {};
    const [unknown] = Object.keys(more);
    if (unknown !== undefined) throw wrongRequest(index, `${unknown} is no member of a request`);
    if (typeof id !== "string" || !customId.test(id))
      throw wrongRequest(index, "custom_id must be 1 to 64 letters, digits, hyphens and underscores");
    if (ids.has(id)) throw wrongRequest(index, "custom_id is that of another request");
    ids.add(id);
    if (!isRecord(params)) throw wrongRequest(index, "params must be an object");
    return { custom_id: id, params };
  });
}

const wrongRequest = (index: number, why: string): RelayRefused =>
  badRequest("invalid_batch_line", `requests.${index}: ${why}`, "requests");

interface BatchCall {
  id: string;
  call: RelayCall;
  state: StateBinding | undefined;
}

async function openMessageBatch(
  exchange: Exchange,
  asked: readonly BatchRequest[],
  caller: RelayCaller,
  pin: string | undefined,
  deps: RelayDeps,
): Promise<void> {
  const calls: BatchCall[] = [];
  for (const [index, request] of asked.entries()) {
    if (index % turnEvery === turnEvery - 1) await nextTurn();
    calls.push(await inRequest(index, () => callIn(exchange, request, index, caller, deps)));
  }
  const home = homeFor(calls, caller, pin, deps);
  let checked: CheckedCalls | undefined;
  for (const [index, { call, state }] of calls.entries())
    checked = await inRequest(index, () =>
      withCall(checked, call, state, { caller, home }, (why) => wrongRequest(index, why), deps),
    );
  if (!checked) throw badRequest("invalid_request_error", "requests is empty", "requests");
  const request = {
    method: "POST",
    api: besideMessages,
    path: anthropicBatches.path,
    headers: passedHeaders(exchange.request.headers, anthropicMessages),
    json: bodyOf(calls),
  } as const;
  const run = { dialect: anthropicBatches, endpoint: messagesEndpoint, request };
  sendJson(exchange, shownMessageBatch(await beginBatch(exchange, run, checked, { caller, home }, deps)));
}

/** The call is written anew from what was read of it, so that the provider reads what was checked. Throws `RelayRefused`. */
async function callIn(
  exchange: Exchange,
  { custom_id: id, params }: BatchRequest,
  index: number,
  caller: RelayCaller,
  deps: RelayDeps,
): Promise<BatchCall> {
  const read = callOfJson(
    Buffer.from(JSON.stringify(params)),
    {},
    {
      formatFor: () => anthropicMessages,
      isEstimateRough: deps.settings.isEstimateRough(),
      hasChoice: () => false,
      isServed: (model) => deps.channels.snapshot.channelsBehind(model).length > 0,
    },
  );
  if (read.isStream) throw wrongRequest(index, "a batch has no streams");
  if (read.fallbackModels) throw wrongRequest(index, "a batch has one model, and no fallbacks");
  const [member] = read.costMembers?.members ?? [];
  if (member)
    throw wrongRequest(index, `${member.name} changes the model or the price, which a batch cannot charge for`);
  if (deps.guards.isOn()) await refuseUnpaidCall(read, caller, deps);
  const call = deps.guards.isOn() ? await deps.guards.inspect(read, caller, exchange) : read;
  return { id, call, state: await deps.providerStates.bind(call, caller, deps.channels.snapshot) };
}

/** Names the request in a refusal of its call. */
async function inRequest<Result>(index: number, run: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof RelayRefused) || error.refusal.code === "invalid_batch_line") throw error;
    const { refusal } = error;
    throw new RelayRefused({ ...refusal, message: `requests.${index}: ${refusal.message}` });
  }
}

/**
 * The account that runs the batch: a channel of Anthropic's that offers the model under this name and keeps what the requests name, by
 * priority and weight. Throws `RelayRefused` where there is none.
 */
function homeFor(
  calls: readonly BatchCall[],
  caller: RelayCaller,
  pin: string | undefined,
  { channels: { snapshot }, random }: RelayDeps,
): ObjectHome {
  const [first] = calls;
  const refused = first && modelRefusal(caller, first.call, snapshot.namesNeeded);
  if (refused) throw refused;
  const usable = snapshot.channels.filter(
    (channel) =>
      sellerOfType[channel.type] === "anthropic" &&
      channel.status === channelStatus.enabled &&
      groupServing(channel, caller.groups) !== undefined &&
      isPinned(channel, pin) &&
      !changesRequests(channel) &&
      modelWithObjects(channel, besideMessages) !== undefined &&
      first !== undefined &&
      servesInBatches(first.call, channel) &&
      calls.every(({ state }) => state?.mayReceive(channel) ?? true),
  );
  const [bound] = calls.flatMap(({ state }) => state ?? []);
  for (const channel of inGroupOrder(usable, caller.groups, (some) => byPriorityAndWeight(some, random))) {
    const key = bound?.keyFor(channel) ?? channel.keys.find(({ status }) => status === channelStatus.enabled);
    if (key) return { channel, key };
  }
  throw denied(
    503,
    `No channel runs batches of ${first?.call.model.slice(0, 200)} for the ${groupsText(caller.groups)}`,
  );
}

const bodyOf = (calls: readonly BatchCall[]): Buffer =>
  Buffer.concat([
    Buffer.from('{"requests":['),
    ...calls.flatMap(({ id, call }, index) => [
      Buffer.from(`${index === 0 ? "" : ","}{"custom_id":${JSON.stringify(id)},"params":`),
      call.body,
      Buffer.from("}"),
    ]),
    Buffer.from("]}"),
  ]);
