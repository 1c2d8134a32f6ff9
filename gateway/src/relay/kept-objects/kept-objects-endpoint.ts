/**
 * `/v1/conversations`, `/v1/vector_stores` and `/v1/containers`: what a user keeps at a provider,
 * beside its Responses API. Requests pass through to the account that keeps the object; lists are
 * those of the user. What is made, and what containers cost, leaves rows in the log; all are
 * limited as counts of tokens are.
 */
import type { Write } from "../../storage/database.ts";
import type {
  CallerFunds,
  CallerIdentity,
  CallerReach,
  KeyRules,
} from "../admission/caller-parts.ts";
import { runAsCreation } from "../creations/as-creation.ts";
import type { AccountAnswer } from "../creations/ask-accounts.ts";
import { chooseAccounts, keepsObjects } from "../creations/choose-accounts.ts";
import { beginCreation, createFree, readHome } from "../creations/creation.ts";
import {
  type ObjectRequest,
  objectId,
  readAskedObject,
  readObject,
  sendObjectRequest,
} from "../creations/provider-objects.ts";
import { sendJson } from "../endpoints/json-endpoint.ts";
import type {
  ArrivedRequest,
  ClientPresence,
  KnownCall,
  ReplyToClient,
  SentAnswer,
  StreamToClient,
} from "../exchange-parts.ts";
import { computeGigabytes } from "../formats/hold-size/container-sessions.ts";
import { computeUnseenInputTokens } from "../formats/hold-size/token-estimate.ts";
import { parseUnseenInputs } from "../formats/hold-size/unseen-inputs.ts";
import type { ContainerRent, ObjectHome } from "../provider-states/provider-states.ts";
import type { IssuedId } from "../provider-states/state-references.ts";
import { freeTerms, readBody } from "../read-body.ts";
import type { ChannelAttempt } from "../routing/attempts.ts";
import { formatGroupsText } from "../routing/channel-groups.ts";
import { passesCostMembers } from "../routing/cost-member-rules.ts";
import { admitObjectRequest } from "../stored-files/admit-object-request.ts";
import type { FileStore } from "../stored-files/file-store.ts";
import { passBytes } from "../stored-files/pass-bytes.ts";
import type { UpstreamAnswer } from "../upstream/answer-parts.ts";
import type { SendResult } from "../upstream/send.ts";
import { type JsonRecord, records } from "../wire/json-parts.ts";
import { RelayRefused, refuseBadRequest, refuseDenied } from "../wire/relay-refusal.ts";
import { type ContainerDeps, containerModel, readChargingContainer } from "./charge-container.ts";
import { elsewhere, findHomeOfNamed, isSame } from "./home-of-named.ts";
import type { KeptCreationDeps } from "./kept-creation-deps.ts";
import { listObjects } from "./list-objects.ts";
import { parseObjectBody } from "./object-body.ts";
import { findObjectAddress, type ObjectAddress, type ObjectKind } from "./object-kinds.ts";
import { rememberObject } from "./remember-object.ts";

export type KeptObjectsDeps = KeptCreationDeps &
  ContainerDeps & { files: FileStore; providerStates: ContainerRent };

const bodyMax = 8 * 1024 * 1024;
/** Pages of items, and what a search found. */
const answerMax = 32 * 1024 * 1024;
/** Others would change what is returned in ways that are not checked here. */
const passedParameters = ["after", "before", "filter", "include", "include[]", "limit", "order"];
/** A margin over the four bytes of a token: what is stored is held for by calls that name it. */
const bytesPerContextToken = 3;

/** Undefined for every other address. */
export function findKeptObjectsEndpoint(
  method: string,
  path: string,
):
  | ((
      exchange: KnownCall & ReplyToClient & StreamToClient & SentAnswer,
      deps: KeptObjectsDeps,
    ) => Promise<void>)
  | undefined {
  const address = findObjectAddress(method, path);
  if (!address) return undefined;
  if (address.id !== undefined)
    return (exchange, deps) => passRequest(exchange, address, address.id ?? "", deps);
  const { kind } = address;
  if (method === "GET") return (exchange, deps) => listObjects(exchange, kind, deps);
  return runAsCreation(kind.path, (exchange, deps) => createObject(exchange, kind, deps));
}

async function createObject(
  exchange: KnownCall & ReplyToClient & SentAnswer,
  kind: ObjectKind,
  deps: KeptObjectsDeps,
): Promise<void> {
  const { caller, pin } = await admitObjectRequest(exchange, deps);
  const body = await readObjectBody(exchange, kind.members, caller, deps);
  if ((await deps.keptObjects.count(caller, kind.kind)) >= kind.heldMax)
    throw refuseBadRequest(
      "too_many_objects",
      `A user may have ${kind.heldMax} ${kind.noun}s; delete some first`,
    );
  const named = await findHomeOfNamed(body, caller, deps);
  const { latestChannelId = await deps.keptObjects.latestChannelId(caller) } =
    await deps.files.held(caller);
  if (named && !keeps(named.channel, kind))
    throw refuseBadRequest(
      "invalid_request_error",
      `The channel that keeps the files keeps no ${kind.noun}s`,
      "file_ids",
    );
  const choice = await chooseAccounts(
    {
      model: kind.kind,
      keeps: (channel) =>
        keeps(channel, kind) && (named !== undefined || keepsObjects(channel, caller)),
      bound: named,
      pin: named ? undefined : pin,
      latestChannelId,
      missing: () =>
        refuseDenied(
          503,
          `No channel keeps ${kind.noun}s for the ${formatGroupsText(caller.groups)}`,
        ),
    },
    caller,
    deps,
  );
  const json = asJson(body);
  const request = { method: "POST", path: kind.path, headers: kind.headers, json } as const;
  const plan = { entry: kind.path, model: kind.kind, choice, bound: named, bodyBytes: json.length };
  const creation = beginCreation(exchange, caller, plan, deps);
  const ask = async (attempt: ChannelAttempt): Promise<AccountAnswer<JsonRecord>> =>
    readAskedObject(
      await sendToHome(exchange, kind, readHome(attempt), request, deps),
      answerMax,
      kind.noun,
    );
  const gigabytes = kind.kind === "container" ? computeGigabytes(body) : 0;
  const contextTokens = kind.addsContext ? estimateContextTokens(body) : gigabytes || undefined;
  const remember = (answer: JsonRecord, home: ObjectHome, also: readonly Write[] = []) => {
    const made = { ...home, model: "" };
    const owner = { requestId: exchange.id, owner: caller };
    return rememberObject(
      { ...owner, kind: kind.kind, id: String(answer.id), made, contextTokens, also },
      deps,
    );
  };
  if (gigabytes === 0) {
    const created = await createFree(creation, { ask, remember }, deps);
    if (created) sendJson(exchange, created.made);
    return;
  }
  const charged = await readChargingContainer(creation, { sessions: gigabytes, ask }, deps);
  if (!charged) return;
  await remember(charged.made, readHome(charged.attempt));
  sendJson(exchange, charged.made);
}

/**
 * `keeps` says whether a channel keeps such objects: those with fees that nothing counts only where
 * the operator bears other such costs.
 */
const keeps = (
  channel: Parameters<typeof passesCostMembers>[0],
  { hasUnknownFee }: ObjectKind,
): boolean => !hasUnknownFee || passesCostMembers(channel);

async function passRequest(
  exchange: KnownCall & ReplyToClient & StreamToClient & SentAnswer,
  address: ObjectAddress,
  id: string,
  deps: KeptObjectsDeps,
): Promise<void> {
  const { kind, below, route } = address;
  if (!route) throw notFound(kind);
  const { caller } = await admitObjectRequest(exchange, deps);
  const kept = await deps.providerStates.find(kind.kind, id, caller, deps.channels.snapshot);
  if (!kept) throw notFound(kind);
  const body = route.members && (await readObjectBody(exchange, route.members, caller, deps));
  const named = body && (await findHomeOfNamed(body, caller, deps));
  if (named && !isSame(named, kept)) throw elsewhere(kind.noun);
  if (body && route.addsContext)
    // Before the provider has it: a hold that is too large is better than one that is too small.
    await deps.providerStates.addContext(id, kept.channel, estimateContextTokens(body));
  const request: ObjectRequest = {
    method: route.method,
    path: [kind.path, id, ...(below === "" ? [] : [below])].join("/"),
    headers: kind.headers,
    query: buildParameters(exchange),
    ...(body && { json: asJson(body) }),
  };
  const isDeletion = route.method === "DELETE" && below === "";
  const forget = () =>
    deps.providerStates.forget(id, kept.channel, [deps.keptObjects.remove(id, kept.channel.id)]);
  // A use of its files keeps a container alive.
  const isUse = kind.kind === "container" && below !== "";
  const sessions = isUse ? await deps.providerStates.sessionsDue(id, kept.channel) : 0;
  const answer =
    sessions === 0
      ? await askHome(exchange, kind, kept, request, deps).catch(async (error: unknown) => {
          // The provider has it no longer, as after its expiry.
          if (isDeletion && error instanceof RelayRefused && error.refusal.status === 404)
            await forget();
          throw error;
        })
      : await usePaid(exchange, kind, { caller, home: kept, id, sessions, request }, deps);
  if (!answer) return;
  if (route.answer === "bytes") return passBytes(exchange, answer, "application/octet-stream");
  const json = await readObject(answer, answerMax);
  if (isDeletion) await forget();
  const ids = route.answer === "items" ? parseItems(json) : [];
  if (ids.length > 0) await deps.providerStates.issue(ids, caller, { ...kept, model: "" });
  sendJson(exchange, json);
}

/** `parseItems` reads a list of items, or one. */
const parseItems = (json: JsonRecord): IssuedId[] =>
  [json, ...records(json.data)].flatMap(({ id }) =>
    typeof id === "string" && objectId.test(id) ? [{ kind: "item" as const, id }] : [],
  );

async function readObjectBody(
  exchange: KnownCall & SentAnswer,
  members: readonly string[],
  caller: CallerIdentity,
  deps: KeptObjectsDeps,
): Promise<JsonRecord> {
  if (deps.guards.isOn()) await deps.guards.refuseUnread(caller);
  return parseObjectBody(
    await readBody(exchange.request, bodyMax, freeTerms(exchange, deps)),
    members,
  );
}

const asJson = (body: JsonRecord): Buffer => Buffer.from(JSON.stringify(body));

/**
 * `estimateContextTokens` counts the tokens of this body that calls which name the object will
 * read.
 */
function estimateContextTokens(body: JsonRecord): number {
  const bytes = asJson(body).length;
  return (
    Math.ceil(bytes / bytesPerContextToken) +
    computeUnseenInputTokens(parseUnseenInputs({ input: body.items }))
  );
}

function buildParameters({ request: { url = "" } }: ArrivedRequest): URLSearchParams {
  const asked = new URLSearchParams(url.split("?", 2)[1]);
  return new URLSearchParams([...asked].filter(([name]) => passedParameters.includes(name)));
}

interface PaidUse {
  caller: CallerIdentity & CallerReach & CallerFunds & KeyRules;
  home: ObjectHome;
  id: string;
  sessions: number;
  request: ObjectRequest;
}

/**
 * A use for which the container must be paid again. Undefined where it was not done, which the
 * client has been told.
 */
async function usePaid(
  exchange: KnownCall & ReplyToClient & SentAnswer,
  kind: ObjectKind,
  { caller, home, id, sessions, request }: PaidUse,
  deps: KeptObjectsDeps,
): Promise<UpstreamAnswer | undefined> {
  const choice = await chooseAccounts(
    { model: containerModel, bound: home, keeps: () => true, missing: () => notFound(kind) },
    caller,
    deps,
  );
  const plan = { entry: kind.path, model: containerModel, choice, bound: home };
  const ask = async (attempt: ChannelAttempt): Promise<AccountAnswer<UpstreamAnswer>> => {
    const sent = await sendToHome(exchange, kind, readHome(attempt), request, deps);
    return "error" in sent ? sent : { made: sent.answer };
  };
  const pay = () => deps.providerStates.payContainer(id, home.channel);
  const used = await readChargingContainer(
    beginCreation(exchange, caller, plan, deps),
    { sessions, ask, pay },
    deps,
  );
  return used?.made;
}

async function askHome(
  exchange: ClientPresence,
  kind: ObjectKind,
  home: ObjectHome,
  request: ObjectRequest,
  deps: KeptObjectsDeps,
): Promise<UpstreamAnswer> {
  const sent = await sendToHome(exchange, kind, home, request, deps);
  if ("answer" in sent) return sent.answer;
  throw new RelayRefused(sent.error.refusal);
}

async function sendToHome(
  exchange: ClientPresence,
  kind: ObjectKind,
  home: ObjectHome,
  request: ObjectRequest,
  deps: KeptObjectsDeps,
): Promise<SendResult> {
  const sent = await sendObjectRequest(deps, home, request, (upstream) =>
    // What the provider makes must be known to the gateway, whether the client waits or not.
    exchange.onClientLeave(
      request.method === "GET" ? () => upstream.abort("the client left") : undefined,
    ),
  );
  if ("answer" in sent || sent.error.status !== 404) return sent;
  return { ...sent, error: { ...sent.error, refusal: notFound(kind).refusal } };
}

/** `notFound` does the same for an object of another user as for one that never existed. */
const notFound = ({ noun }: ObjectKind): RelayRefused =>
  new RelayRefused({
    status: 404,
    type: "invalid_request_error",
    code: null,
    message: `The ${noun} was not found`,
  });
