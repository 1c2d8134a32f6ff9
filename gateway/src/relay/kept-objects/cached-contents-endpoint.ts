/**
 * `/v1beta/cachedContents`: prompts that Gemini keeps for calls that name them. Google bills for making and keeping one in ways that no
 * answer counts, so channels with `pass_cost_members` alone keep them; what calls read of them is charged as cached input.
 */
import { channelStatus } from "@tollgate/contract/channels.ts";
import type { RelayCaller } from "../admission/api-keys.ts";
import { sendJson } from "../endpoints/json-endpoint.ts";
import type { Exchange } from "../exchange.ts";
import { gemini } from "../formats/gemini.ts";
import { geminiErrors } from "../formats/gemini-errors.ts";
import { idsNamedIn } from "../provider-states/state-references.ts";
import { readBody } from "../read-request.ts";
import type { RelayDeps } from "../relay-deps.ts";
import { groupServing, groupsText, inGroupOrder } from "../routing/channel-groups.ts";
import type { RelayChannel } from "../routing/channel-table.ts";
import { byPriorityAndWeight } from "../routing/choose-channels.ts";
import { passesCostMembers } from "../routing/cost-member-rules.ts";
import { isPinned } from "../stored-files/file-home.ts";
import { objectAnswerMax } from "../stored-files/file-object.ts";
import {
  admitObjectRequest,
  badAnswer,
  type ObjectApi,
  type ObjectHome,
  type ObjectRequest,
  readObject,
  sendObjectRequest,
} from "../stored-files/provider-objects.ts";
import { type JsonRecord, record } from "../wire/json-parts.ts";
import { badRequest, denied, RelayRefused } from "../wire/relay-refusal.ts";
import { readObjects } from "./list-objects.ts";
import { objectBodyIn } from "./object-body.ts";
import { rememberObject } from "./remember-object.ts";

const besideGemini: ObjectApi = { format: gemini, address: /\/models$/, request: { contents: [{ parts: [] }] } };
const kind = "cache";
/** Of one user: each is kept at the operator's expense. */
const heldMax = 100;
const bodyMax = 32 * 1024 * 1024;
const pageMax = 20;
/** More than any model reads. */
const contextTokensMax = 100_000_000;
const newMembers = [
  ...["model", "contents", "systemInstruction", "tools", "toolConfig", "displayName", "ttl", "expireTime"],
];
const changedMembers = ["ttl", "expireTime"];
const all = /^\/v1(?:beta)?\/cachedContents$/;
const one = /^\/v1(?:beta)?\/(cachedContents\/[\w-]{1,256})$/;
const cacheName = /^cachedContents\/[\w-]{1,256}$/;

type CacheHandler = (exchange: Exchange, deps: RelayDeps) => Promise<void>;

/** Undefined for every other address. */
export function cachedContentsEndpointAt(method: string, path: string): CacheHandler | undefined {
  const handler = handlerAt(method, path);
  return (
    handler &&
    (async (exchange, deps) => {
      exchange.errorFormat = geminiErrors;
      await handler(exchange, deps);
    })
  );
}

function handlerAt(method: string, path: string): CacheHandler | undefined {
  if (all.test(path)) return { GET: listCaches, POST: createCache }[method];
  const name = one.exec(path)?.[1];
  if (name === undefined || (method !== "GET" && method !== "PATCH" && method !== "DELETE")) return undefined;
  return (exchange, deps) => passOn(exchange, name, method, deps);
}

async function createCache(exchange: Exchange, deps: RelayDeps): Promise<void> {
  const { caller, pin } = await admitObjectRequest(exchange, deps);
  if (deps.guards.isOn()) await deps.guards.refuseUnread(caller);
  const reserve = deps.bodyMemoryBudget.reserveUntilClosed(exchange.response);
  const body = objectBodyIn(await readBody(exchange.request, bodyMax, reserve), newMembers);
  const model = typeof body.model === "string" ? body.model.replace(/^models\//, "") : "";
  if (caller.models !== null && !deps.channels.snapshot.namesNeeded(model).every((name) => caller.models?.has(name)))
    throw denied(403, `The API key may not use the model ${model.slice(0, 200)}`);
  // Files of Gemini are not served, so the ids of them are no one's here.
  const [named] = idsNamedIn(body);
  if (named)
    throw badRequest("stored_object_not_found", `${named.param}: the ${named.kind} was not found`, named.param);
  if ((await deps.keptObjects.count(caller.userId, kind)) >= heldMax)
    throw badRequest("too_many_objects", `A user may have ${heldMax} caches; delete some first`);
  const home = homeFor(model, caller, pin, deps);
  const request = { method: "POST", path: "cachedContents", json: Buffer.from(JSON.stringify(body)) } as const;
  const answer = await askHome(home, request, deps);
  const { name } = answer;
  if (typeof name !== "string" || !cacheName.test(name))
    throw badAnswer("The provider's answer has no name of a cache");
  const counted = record(answer.usageMetadata).totalTokenCount;
  const isCount = typeof counted === "number" && Number.isInteger(counted) && counted >= 0;
  const contextTokens = isCount ? Math.min(counted, contextTokensMax) : undefined;
  const { userId } = caller;
  const made = { ...home, model };
  await rememberObject({ kind, id: name, requestId: exchange.id, userId, made, contextTokens }, deps);
  sendJson(exchange, answer);
}

/** A channel that offers the model under this name, at Gemini's own API. Throws `RelayRefused` where there is none. */
function homeFor(
  model: string,
  { groups }: RelayCaller,
  pin: string | undefined,
  { channels: { snapshot }, random }: RelayDeps,
): ObjectHome {
  const keeps = (channel: RelayChannel): boolean =>
    channel.status === channelStatus.enabled &&
    groupServing(channel, groups) !== undefined &&
    isPinned(channel, pin) &&
    passesCostMembers(channel) &&
    channel.models.has(model) &&
    !channel.hiddenModels.has(model) &&
    (channel.modelMapping.get(model) ?? model) === model &&
    besideGemini.address.test(channel.urlsFor(model).gemini?.pathname ?? "");
  const usable = snapshot.routed(model) === undefined ? snapshot.channels.filter(keeps) : [];
  for (const channel of inGroupOrder(usable, groups, (some) => byPriorityAndWeight(some, random))) {
    const key = channel.keys.find(({ status }) => status === channelStatus.enabled);
    if (key) return { channel, key };
  }
  throw denied(503, `No channel keeps caches of ${model.slice(0, 200)} for the ${groupsText(groups)}`);
}

async function passOn(
  exchange: Exchange,
  name: string,
  method: "GET" | "PATCH" | "DELETE",
  deps: RelayDeps,
): Promise<void> {
  const { caller } = await admitObjectRequest(exchange, deps);
  const kept = await deps.providerStates.find(kind, name, caller, deps.channels.snapshot);
  if (!kept) throw notFound();
  const request: ObjectRequest = { method, path: name };
  if (method === "PATCH") {
    const reserve = deps.bodyMemoryBudget.reserveUntilClosed(exchange.response);
    const body = objectBodyIn(await readBody(exchange.request, objectAnswerMax, reserve), changedMembers);
    request.json = Buffer.from(JSON.stringify(body));
    request.query = new URLSearchParams({ updateMask: Object.keys(body).join(",") });
  }
  const forget = () => deps.providerStates.forget(name, kept.channel, [deps.keptObjects.remove(name, kept.channel.id)]);
  const answer = await askHome(kept, request, deps).catch(async (error: unknown) => {
    if (method === "DELETE" && error instanceof RelayRefused && error.refusal.status === 404) await forget();
    throw error;
  });
  if (method === "DELETE") await forget();
  sendJson(exchange, answer);
}

/** Each cache of the page is asked for by itself: the provider's list has those of all users. */
async function listCaches(exchange: Exchange, deps: RelayDeps): Promise<void> {
  const { caller } = await admitObjectRequest(exchange, deps);
  const asked = new URLSearchParams(exchange.request.url?.split("?", 2)[1]);
  const size = Number(asked.get("pageSize") ?? pageMax);
  if (!Number.isInteger(size) || size < 1) throw badRequest("invalid_request_error", "pageSize must be positive");
  const token = asked.get("pageToken");
  const after = token === null ? undefined : await deps.keptObjects.find(caller.userId, kind, token);
  if (token !== null && !after) throw badRequest("invalid_request_error", "pageToken names no page");
  const limit = Math.min(size, pageMax);
  const rows = await deps.keptObjects.page(caller.userId, kind, { after: after?.id, order: "desc", limit: limit + 1 });
  const page = rows.slice(0, limit);
  const request = (path: string) => ({ method: "GET", api: besideGemini, path }) as const;
  const cachedContents = await readObjects(page, kind, request, caller, deps);
  const nextPageToken = rows.length > limit ? page.at(-1)?.object_id : undefined;
  sendJson(exchange, { cachedContents, ...(nextPageToken !== undefined && { nextPageToken }) });
}

async function askHome(home: ObjectHome, request: ObjectRequest, deps: RelayDeps): Promise<JsonRecord> {
  const sent = await sendObjectRequest(deps, home, { ...request, api: besideGemini }, () => undefined);
  if ("answer" in sent) return readObject(sent.answer, objectAnswerMax);
  throw sent.error.status === 404 ? notFound() : new RelayRefused(sent.error.refusal);
}

/** The same for a cache of another user as for one that never existed. */
const notFound = (): RelayRefused =>
  new RelayRefused({ status: 404, type: "invalid_request_error", code: null, message: "The cache was not found" });
