/**
 * `POST /v1/messages/batches`: requests that come with the call, each checked and held for as a
 * call to `/v1/messages`.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { findModelRefusal } from "../admission/authenticate.ts";
import type {
  CallerFunds,
  CallerIdentity,
  CallerReach,
  KeyRules,
} from "../admission/caller-parts.ts";
import type { FrameDeps } from "../call-refusals.ts";
import { runAsCreation } from "../creations/as-creation.ts";
import { type AccountDeps, chooseAccounts } from "../creations/choose-accounts.ts";
import { findHome } from "../creations/creation.ts";
import { findModelWithObjects } from "../creations/provider-objects.ts";
import { sendJson } from "../endpoints/json-endpoint.ts";
import type { KnownCall, ReplyToClient, SentAnswer } from "../exchange-parts.ts";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import type { RelayCall } from "../formats/api-format.ts";
import type { Guards } from "../guards/guards.ts";
import type {
  CallStates,
  IssuedObjects,
  ObjectHome,
  StateBinding,
} from "../provider-states/provider-states.ts";
import { readBody } from "../read-body.ts";
import { callOfJson, listPassedHeaders } from "../read-request.ts";
import {
  buildChargedTerms,
  isFreeModel,
  type ReadingDeps,
  refuseUnpaidCall,
} from "../refuse-unpaid.ts";
import { formatGroupsText } from "../routing/channel-groups.ts";
import type { ChannelAccess, ChannelIdentity, ServedModels } from "../routing/channel-parts.ts";
import type { ChannelCandidate, ChannelChoice } from "../routing/choose-channels.ts";
import { sellerOfType } from "../routing/cost-member-rules.ts";
import {
  admitObjectRequest,
  type ObjectRequestDeps,
} from "../stored-files/admit-object-request.ts";
import { boundOutline } from "../wire/bounded-json.ts";
import { isRecord } from "../wire/json-parts.ts";
import { findLeadingText } from "../wire/json-spans.ts";
import { RelayRefused, refuseBadRequest, refuseDenied } from "../wire/relay-refusal.ts";
import {
  anthropicBatches,
  besideMessages,
  messagesEndpoint,
  showMessageBatch,
} from "./anthropic-batches.ts";
import {
  addCall,
  type CheckDeps,
  type CheckedCalls,
  changesRequests,
  servesInBatches,
} from "./batch-calls.ts";
import { admitBatch, type BeginBatchDeps, beginBatch } from "./begin-batch.ts";

export type MessageBatchDeps = BeginBatchDeps &
  CheckDeps &
  AccountDeps &
  FrameDeps &
  ObjectRequestDeps &
  ReadingDeps & {
    guards: Guards;
    providerStates: CallStates & IssuedObjects;
  };

/** `bodyMax` is as large as the body of a call may be. */
const bodyMax = 32 * 1024 * 1024;
/**
 * `requestsMax` is that of one batch. The body has the size of a call's, which holds fewer than
 * Anthropic's 100,000.
 */
const requestsMax = 10_000;
const customId = /^[\w-]{1,64}$/;
/** Requests that are read before other calls have their turn. */
const turnEvery = 50;

/** Throws `RelayRefused`. */
async function create(
  exchange: KnownCall & ReplyToClient & SentAnswer,
  deps: MessageBatchDeps,
): Promise<void> {
  const { caller, pin } = await admitObjectRequest(exchange, deps);
  const terms = buildChargedTerms(exchange, deps, (beginning) => {
    // A batch has one model.
    const model = findLeadingText(
      beginning.subarray(Math.max(0, beginning.indexOf('"params"'))),
      "model",
    );
    return model !== undefined && isFreeModel(model, caller, deps);
  });
  const asked = parseBatchRequests(await readBody(exchange.request, bodyMax, terms));
  await admitBatch(
    exchange,
    caller,
    () => openMessageBatch(exchange, asked, caller, pin, deps),
    deps,
  );
}

interface BatchRequest {
  custom_id: string;
  params: unknown;
}

/** Throws `RelayRefused`. */
export function parseBatchRequests(body: Buffer): BatchRequest[] {
  let json: unknown;
  const text = body.toString("utf8");
  boundOutline(text);
  try {
    json = JSON.parse(text);
  } catch {
    throw refuseBadRequest("invalid_request_error", "The body is not valid JSON");
  }
  if (!isRecord(json))
    throw refuseBadRequest("invalid_request_error", "The body must be an object");
  const { requests, ...others } = json;
  const [other] = Object.keys(others);
  if (other !== undefined)
    throw refuseBadRequest("invalid_request_error", `${other} is no member of a batch`, other);
  if (!Array.isArray(requests) || requests.length === 0 || requests.length > requestsMax)
    throw refuseBadRequest(
      "invalid_request_error",
      `requests must be a list of 1 to ${requestsMax}`,
      "requests",
    );
  const ids = new Set<string>();
  return requests.map((request: unknown, index) => {
    const { custom_id: id, params, ...more } = isRecord(request) ? request : {};
    const [unknown] = Object.keys(more);
    if (unknown !== undefined)
      throw refuseWrongRequest(index, `${unknown} is no member of a request`);
    if (typeof id !== "string" || !customId.test(id))
      throw refuseWrongRequest(
        index,
        "custom_id must be 1 to 64 letters, digits, hyphens and underscores",
      );
    if (ids.has(id)) throw refuseWrongRequest(index, "custom_id is that of another request");
    ids.add(id);
    if (!isRecord(params)) throw refuseWrongRequest(index, "params must be an object");
    return { custom_id: id, params };
  });
}

const refuseWrongRequest = (index: number, why: string): RelayRefused =>
  refuseBadRequest("invalid_batch_line", `requests.${index}: ${why}`, "requests");

interface BatchCall {
  id: string;
  call: RelayCall;
  state: StateBinding | undefined;
}

async function openMessageBatch(
  exchange: KnownCall & ReplyToClient & SentAnswer,
  asked: readonly BatchRequest[],
  caller: CallerIdentity & CallerReach & CallerFunds & KeyRules,
  pin: string | undefined,
  deps: MessageBatchDeps,
): Promise<void> {
  const calls: BatchCall[] = [];
  for (const [index, request] of asked.entries()) {
    if (index % turnEvery === turnEvery - 1) await nextTurn();
    calls.push(await inRequest(index, () => readBatchCall(exchange, request, index, caller, deps)));
  }
  const { choice, bound } = await findPlaces(calls, caller, pin, deps);
  const checkedAt = new Map<ChannelCandidate, CheckedCalls>();
  for (const candidate of choice.candidates) {
    const { channel } = candidate;
    const home = bound ?? findHome(channel);
    let checked: CheckedCalls | undefined;
    for (const [index, { call, state }] of calls.entries()) {
      if (index % turnEvery === turnEvery - 1) await nextTurn();
      checked = await inRequest(index, () =>
        addCall(
          checked,
          call,
          state,
          { caller, home },
          (why) => refuseWrongRequest(index, why),
          deps,
        ),
      );
    }
    if (!checked) throw refuseBadRequest("invalid_request_error", "requests is empty", "requests");
    checkedAt.set(candidate, checked);
  }
  const request = {
    method: "POST",
    api: besideMessages,
    path: anthropicBatches.path,
    headers: listPassedHeaders(exchange.request.headers, anthropicMessages),
    json: buildBody(calls),
  } as const;
  const run = { dialect: anthropicBatches, endpoint: messagesEndpoint, request };
  const batch = await beginBatch(exchange, run, { caller, choice, bound, checkedAt }, deps);
  if (batch) sendJson(exchange, showMessageBatch(batch));
}

export const createMessageBatch = runAsCreation("message_batches", create);

/**
 * The call is written anew from what was read of it, so that the provider reads what was checked.
 * Throws `RelayRefused`.
 */
async function readBatchCall(
  exchange: KnownCall,
  { custom_id: id, params }: BatchRequest,
  index: number,
  caller: CallerIdentity & CallerReach & CallerFunds,
  deps: MessageBatchDeps,
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
  if (read.isStream) throw refuseWrongRequest(index, "a batch has no streams");
  if (read.fallbackModels)
    throw refuseWrongRequest(index, "a batch has one model, and no fallbacks");
  const [member] = read.costMembers?.members ?? [];
  if (member)
    throw refuseWrongRequest(
      index,
      `${member.name} changes the model or the price, which a batch cannot charge for`,
    );
  if (deps.guards.isOn()) await refuseUnpaidCall(read, caller, deps);
  const call = deps.guards.isOn() ? await deps.guards.inspect(read, caller, exchange) : read;
  return { id, call, state: await deps.providerStates.bind(call, caller, deps.channels.snapshot) };
}

/** Names the request in a refusal of its call. */
async function inRequest<Result>(
  index: number,
  run: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof RelayRefused) || error.refusal.code === "invalid_batch_line")
      throw error;
    const { refusal } = error;
    throw new RelayRefused({ ...refusal, message: `requests.${index}: ${refusal.message}` });
  }
}

/**
 * The accounts that may run the batch: channels of Anthropic's that offer the model under this
 * name; the one that keeps what the requests name. Throws `RelayRefused` where there is none.
 */
async function findPlaces(
  calls: readonly BatchCall[],
  caller: CallerIdentity & CallerReach,
  pin: string | undefined,
  deps: MessageBatchDeps,
): Promise<{ choice: ChannelChoice; bound: ObjectHome | undefined }> {
  const { snapshot } = deps.channels;
  const [first] = calls;
  const refused = first && findModelRefusal(caller, first.call, snapshot.namesNeeded);
  if (refused) throw refused;
  const model = first?.call.model ?? "";
  const runs = (channel: ChannelIdentity & ServedModels & ChannelAccess): boolean =>
    sellerOfType[channel.type] === "anthropic" &&
    !changesRequests(channel) &&
    findModelWithObjects(channel, besideMessages) !== undefined &&
    first !== undefined &&
    servesInBatches(first.call, channel) &&
    calls.every(({ state }) => state?.mayReceive(channel) ?? true);
  const missing = () =>
    refuseDenied(
      503,
      `No channel runs batches of ${model.slice(0, 200)} for the ${formatGroupsText(caller.groups)}`,
    );
  const choice = await chooseAccounts({ model, keeps: runs, pin, missing }, caller, deps);
  const [state] = calls.flatMap((call) => call.state ?? []);
  const [home] = state
    ? choice.candidates.map(({ channel }) => ({ channel, key: state.keyFor(channel) }))
    : [];
  return { choice, bound: home?.key && { channel: home.channel, key: home.key } };
}

const buildBody = (calls: readonly BatchCall[]): Buffer =>
  Buffer.concat([
    Buffer.from('{"requests":['),
    ...calls.flatMap(({ id, call }, index) => [
      Buffer.from(`${index === 0 ? "" : ","}{"custom_id":${JSON.stringify(id)},"params":`),
      call.body,
      Buffer.from("}"),
    ]),
    Buffer.from("]}"),
  ]);
