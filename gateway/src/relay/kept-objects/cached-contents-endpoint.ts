/**
 * `/v1beta/cachedContents`: prompts that Gemini keeps for calls that name them. Google bills for making and keeping one in ways that no
 * answer counts, so channels with `pass_cost_members` alone keep them; what calls read of them is charged as cached input.
 */
import { channelStatus } from "@tollgate/contract/channels.ts";
import type { RelayCaller } from "../admission/api-keys.ts";
import { sendJson } from "../endpoints/json-endpoint.ts";
import type { Exchange } from "../exchange.ts";
import { freeTerms, readBody } from "../read-body.ts";
import type { RelayDeps } from "../relay-deps.ts";
import { groupServing, groupsText, inGroupOrder } from "../routing/channel-groups.ts";
import type { RelayChannel } from "../routing/channel-table.ts";
import { byPriorityAndWeight } from "../routing/choose-channels.ts";
import { passesCostMembers } from "../routing/cost-member-rules.ts";
import { admitObjectRequest } from "../stored-files/admit-object-request.ts";
import { isPinned } from "../stored-files/file-home.ts";
import { objectAnswerMax } from "../stored-files/file-object.ts";
import { badAnswer, type ObjectHome, type ObjectRequest } from "../stored-files/provider-objects.ts";
import { record } from "../wire/json-parts.ts";
import { badRequest, denied } from "../wire/relay-refusal.ts";
import {
  askGemini,
  besideGemini,
  type GeminiHandler,
  type GeminiKind,
  inGeminiFormat,
  listGemini,
  ownGeminiObject,
  passToGemini,
} from "./gemini-objects.ts";
import { homeOfNamed } from "./home-of-named.ts";
import { objectBodyIn } from "./object-body.ts";
import { rememberObject } from "./remember-object.ts";

const kind = "cache";
const caches: GeminiKind = {
  kind,
  noun: "cache",
  member: "cachedContents",
  pathOf: (name) => name,
  shown: (cache) => cache,
};
/** Of one user: each is kept at the operator's expense. */
const heldMax = 100;
const bodyMax = 32 * 1024 * 1024;
/** More than any model reads. */
const contextTokensMax = 100_000_000;
const newMembers = [
  ...["model", "contents", "systemInstruction", "tools", "toolConfig", "displayName", "ttl", "expireTime"],
];
const changedMembers = ["ttl", "expireTime"];
const all = /^\/v1(?:beta)?\/cachedContents$/;
const one = /^\/v1(?:beta)?\/(cachedContents\/[\w-]{1,256})$/;
const cacheName = /^cachedContents\/[\w-]{1,256}$/;

/** Undefined for every other address. */
export function cachedContentsEndpointAt(method: string, path: string): GeminiHandler | undefined {
  const handler = handlerAt(method, path);
  return handler && inGeminiFormat(handler);
}

function handlerAt(method: string, path: string): GeminiHandler | undefined {
  if (all.test(path)) return { GET: listGemini(caches), POST: createCache }[method];
  const name = one.exec(path)?.[1];
  if (name === undefined || (method !== "GET" && method !== "PATCH" && method !== "DELETE")) return undefined;
  return (exchange, deps) => passOn(exchange, name, method, deps);
}

async function createCache(exchange: Exchange, deps: RelayDeps): Promise<void> {
  const { caller, pin } = await admitObjectRequest(exchange, deps);
  if (deps.guards.isOn()) await deps.guards.refuseUnread(caller);
  const body = objectBodyIn(await readBody(exchange.request, bodyMax, freeTerms(exchange, deps)), newMembers);
  const model = typeof body.model === "string" ? body.model.replace(/^models\//, "") : "";
  if (caller.models !== null && !deps.channels.snapshot.namesNeeded(model).every((name) => caller.models?.has(name)))
    throw denied(403, `The API key may not use the model ${model.slice(0, 200)}`);
  const named = await homeOfNamed(body, caller, deps);
  if ((await deps.keptObjects.count(caller.userId, kind)) >= heldMax)
    throw badRequest("too_many_objects", `A user may have ${heldMax} caches; delete some first`);
  const home = homeFor(model, caller, pin, named, deps);
  const request = { method: "POST", path: "cachedContents", json: Buffer.from(JSON.stringify(body)) } as const;
  const answer = await askGemini(caches, home, request, deps);
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

/**
 * A channel that offers the model under this name, at Gemini's own API; with files, the one that keeps them. Throws `RelayRefused` where
 * there is none.
 */
function homeFor(
  model: string,
  { groups }: RelayCaller,
  pin: string | undefined,
  named: ObjectHome | undefined,
  { channels: { snapshot }, random }: RelayDeps,
): ObjectHome {
  const keeps = (channel: RelayChannel): boolean =>
    channel.status === channelStatus.enabled &&
    groupServing(channel, groups) !== undefined &&
    isPinned(channel, pin) &&
    (named === undefined || channel.id === named.channel.id) &&
    passesCostMembers(channel) &&
    channel.models.has(model) &&
    !channel.hiddenModels.has(model) &&
    (channel.modelMapping.get(model) ?? model) === model &&
    besideGemini.address.test(channel.urlsFor(model).gemini?.pathname ?? "");
  const usable = snapshot.routed(model) === undefined ? snapshot.channels.filter(keeps) : [];
  if (named && usable.length > 0) return named;
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
  const kept = await ownGeminiObject(caches, name, caller, deps);
  const request: Omit<ObjectRequest, "path"> = { method };
  if (method === "PATCH") {
    const body = objectBodyIn(
      await readBody(exchange.request, objectAnswerMax, freeTerms(exchange, deps)),
      changedMembers,
    );
    request.json = Buffer.from(JSON.stringify(body));
    request.query = new URLSearchParams({ updateMask: Object.keys(body).join(",") });
  }
  await passToGemini(exchange, caches, name, kept, request, deps);
}
