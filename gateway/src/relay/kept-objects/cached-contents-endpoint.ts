/**
 * `/v1beta/cachedContents`: prompts that Gemini keeps for calls that name them. Google bills for
 * making and keeping one in ways that no answer counts, so channels with `pass_cost_members` alone
 * keep them; what calls read of them is charged as cached input.
 */
import { runAsCreation } from "../creations/as-creation.ts";
import type { AccountAnswer } from "../creations/ask-accounts.ts";
import { chooseAccounts } from "../creations/choose-accounts.ts";
import { beginCreation, createFree, readHome } from "../creations/creation.ts";
import {
  type ObjectRequest,
  readAskedObject,
  sendObjectRequest,
} from "../creations/provider-objects.ts";
import { sendJson } from "../endpoints/json-endpoint.ts";
import type { KnownCall, ReplyToClient, SentAnswer } from "../exchange-parts.ts";
import { freeTerms, readBody } from "../read-body.ts";
import { formatGroupsText } from "../routing/channel-groups.ts";
import type { ChannelAccess, ChannelIdentity, ServedModels } from "../routing/channel-parts.ts";
import { passesCostMembers } from "../routing/cost-member-rules.ts";
import { servesName } from "../routing/listed-models.ts";
import { admitObjectRequest } from "../stored-files/admit-object-request.ts";
import { objectAnswerMax } from "../stored-files/file-object.ts";
import { type JsonRecord, record } from "../wire/json-parts.ts";
import { refuseBadRequest, refuseDenied } from "../wire/relay-refusal.ts";
import {
  besideGemini,
  type GeminiHandler,
  type GeminiKind,
  inGeminiFormat,
  listGemini,
  ownGeminiObject,
  passToGemini,
} from "./gemini-objects.ts";
import { findHomeOfNamed } from "./home-of-named.ts";
import type { KeptCreationDeps } from "./kept-creation-deps.ts";
import { parseObjectBody } from "./object-body.ts";
import { rememberObject } from "./remember-object.ts";

const kind = "cache";
const caches: GeminiKind = {
  kind,
  noun: "cache",
  member: "cachedContents",
  pathOf: (name) => name,
  shown: (cache) => cache,
};
/** `heldMax` is that of one user: each is kept at the operator's expense. */
const heldMax = 100;
const bodyMax = 32 * 1024 * 1024;
/** More than any model reads. */
const contextTokensMax = 100_000_000;
const newMembers = [
  ...[
    "model",
    "contents",
    "systemInstruction",
    "tools",
    "toolConfig",
    "displayName",
    "ttl",
    "expireTime",
  ],
];
const changedMembers = ["ttl", "expireTime"];
const all = /^\/v1(?:beta)?\/cachedContents$/;
const one = /^\/v1(?:beta)?\/(cachedContents\/[\w-]{1,256})$/;
const cacheName = /^cachedContents\/[\w-]{1,256}$/;

/** Undefined for every other address. */
export function findCachedContentsEndpoint(
  method: string,
  path: string,
): GeminiHandler<KeptCreationDeps> | undefined {
  const handler = findHandler(method, path);
  return handler && inGeminiFormat(handler);
}

function findHandler(method: string, path: string): GeminiHandler<KeptCreationDeps> | undefined {
  if (all.test(path))
    return { GET: listGemini(caches), POST: runAsCreation("cached_contents", createCache) }[method];
  const name = one.exec(path)?.[1];
  if (name === undefined || (method !== "GET" && method !== "PATCH" && method !== "DELETE"))
    return undefined;
  return (exchange, deps) => passRequest(exchange, name, method, deps);
}

async function createCache(
  exchange: KnownCall & ReplyToClient & SentAnswer,
  deps: KeptCreationDeps,
): Promise<void> {
  const { caller, pin } = await admitObjectRequest(exchange, deps);
  if (deps.guards.isOn()) await deps.guards.refuseUnread(caller);
  const body = parseObjectBody(
    await readBody(exchange.request, bodyMax, freeTerms(exchange, deps)),
    newMembers,
  );
  const model = typeof body.model === "string" ? body.model.replace(/^models\//, "") : "";
  if (
    caller.models !== null &&
    !deps.channels.snapshot.namesNeeded(model).every((name) => caller.models?.has(name))
  )
    throw refuseDenied(403, `The API key may not use the model ${model.slice(0, 200)}`);
  const named = await findHomeOfNamed(body, caller, deps);
  if ((await deps.keptObjects.count(caller, kind)) >= heldMax)
    throw refuseBadRequest(
      "too_many_objects",
      `A user may have ${heldMax} caches; delete some first`,
    );
  const { snapshot } = deps.channels;
  const choice = await chooseAccounts(
    {
      model,
      keeps: (channel) => snapshot.routed(model) === undefined && keepsCachesOf(model, channel),
      bound: named,
      pin,
      missing: () =>
        refuseDenied(
          503,
          `No channel keeps caches of ${model.slice(0, 200)} for the ${formatGroupsText(caller.groups)}`,
        ),
    },
    caller,
    deps,
  );
  const json = Buffer.from(JSON.stringify(body));
  const request = { method: "POST", api: besideGemini, path: "cachedContents", json } as const;
  const plan = { entry: "cached_contents", model, choice, bound: named, bodyBytes: json.length };
  const created = await createFree(
    beginCreation(exchange, caller, plan, deps),
    {
      async ask(attempt): Promise<AccountAnswer<JsonRecord>> {
        const sent = await sendObjectRequest(deps, readHome(attempt), request, () => undefined);
        return readAskedObject(sent, objectAnswerMax, caches.noun, ({ name }) =>
          cacheName.test(String(name)),
        );
      },
      async remember(answer, home, also) {
        const made = { ...home, model };
        const owner = { requestId: exchange.id, owner: caller };
        const contextTokens = readCountedTokens(answer);
        await rememberObject(
          { ...owner, kind, id: String(answer.name), made, contextTokens, also },
          deps,
        );
      },
    },
    deps,
  );
  if (created) sendJson(exchange, created.made);
}

function readCountedTokens({ usageMetadata }: JsonRecord): number | undefined {
  const { totalTokenCount: counted } = record(usageMetadata);
  const isCount = typeof counted === "number" && Number.isInteger(counted) && counted >= 0;
  return isCount ? Math.min(counted, contextTokensMax) : undefined;
}

/** `keepsCachesOf` says whether a channel offers the model under this name, at Gemini's own API. */
const keepsCachesOf = (
  model: string,
  channel: ChannelIdentity & ServedModels & ChannelAccess,
): boolean =>
  passesCostMembers(channel) &&
  servesName(channel, model) &&
  !channel.hiddenModels.has(model) &&
  (channel.modelMapping.get(model) ?? model) === model &&
  besideGemini.address.test(channel.urlsFor(model).gemini?.pathname ?? "");

async function passRequest(
  exchange: KnownCall & ReplyToClient & SentAnswer,
  name: string,
  method: "GET" | "PATCH" | "DELETE",
  deps: KeptCreationDeps,
): Promise<void> {
  const { caller } = await admitObjectRequest(exchange, deps);
  const kept = await ownGeminiObject(caches, name, caller, deps);
  const request: Omit<ObjectRequest, "path"> = { method };
  if (method === "PATCH") {
    const body = parseObjectBody(
      await readBody(exchange.request, objectAnswerMax, freeTerms(exchange, deps)),
      changedMembers,
    );
    request.json = Buffer.from(JSON.stringify(body));
    request.query = new URLSearchParams({ updateMask: Object.keys(body).join(",") });
  }
  await passToGemini(exchange, caches, name, kept, request, deps);
}
