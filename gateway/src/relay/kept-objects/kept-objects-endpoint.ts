/**
 * `/v1/conversations`, `/v1/vector_stores` and `/v1/containers`: what a user keeps at a provider, beside its Responses API. Requests pass
 * through to the account that keeps the object; lists are those of the user. Only what containers cost leaves rows in the log; all are
 * limited as counts of tokens are.
 */
import type { RelayCaller } from "../admission/api-keys.ts";
import { sendJson } from "../endpoints/json-endpoint.ts";
import type { Exchange } from "../exchange.ts";
import { gigabytesOf } from "../formats/container-sessions.ts";
import { unseenInputTokens } from "../formats/token-estimate.ts";
import { unseenInputsIn } from "../formats/unseen-inputs.ts";
import type { IssuedId } from "../provider-states/state-references.ts";
import { freeTerms, readBody } from "../read-body.ts";
import type { RelayDeps } from "../relay-deps.ts";
import { groupsText } from "../routing/channel-groups.ts";
import { passesCostMembers } from "../routing/cost-member-rules.ts";
import { admitObjectRequest } from "../stored-files/admit-object-request.ts";
import { fileHome } from "../stored-files/file-home.ts";
import { objectId } from "../stored-files/file-object.ts";
import { passBytes } from "../stored-files/pass-bytes.ts";
import {
  badAnswer,
  ObjectAnswerLost,
  type ObjectHome,
  type ObjectRequest,
  readObject,
  sendObjectRequest,
} from "../stored-files/provider-objects.ts";
import { isAnswerLost, type UpstreamResponse } from "../upstream/forward.ts";
import { type JsonRecord, records } from "../wire/json-parts.ts";
import { badRequest, denied, RelayRefused } from "../wire/relay-refusal.ts";
import { chargingContainer } from "./charge-container.ts";
import { elsewhere, homeOfNamed, isSame } from "./home-of-named.ts";
import { listObjects } from "./list-objects.ts";
import { objectBodyIn } from "./object-body.ts";
import { type ObjectAddress, type ObjectKind, objectAddressAt } from "./object-kinds.ts";
import { rememberObject } from "./remember-object.ts";

const bodyMax = 8 * 1024 * 1024;
/** Pages of items, and what a search found. */
const answerMax = 32 * 1024 * 1024;
/** Others would change what is returned in ways that are not checked here. */
const passedParameters = ["after", "before", "filter", "include", "include[]", "limit", "order"];
/** A margin over the four bytes of a token: what is stored is held for by calls that name it. */
const bytesPerContextToken = 3;

/** Undefined for every other address. */
export function keptObjectsEndpointAt(
  method: string,
  path: string,
): ((exchange: Exchange, deps: RelayDeps) => Promise<void>) | undefined {
  const address = objectAddressAt(method, path);
  if (!address) return undefined;
  if (address.id !== undefined) return (exchange, deps) => passOn(exchange, address, address.id ?? "", deps);
  return (exchange, deps) => (method === "GET" ? listObjects : createObject)(exchange, address.kind, deps);
}

async function createObject(exchange: Exchange, kind: ObjectKind, deps: RelayDeps): Promise<void> {
  const { caller, pin } = await admitObjectRequest(exchange, deps);
  const body = await readObjectBody(exchange, kind.members, caller, deps);
  if ((await deps.keptObjects.count(caller.userId, kind.kind)) >= kind.heldMax)
    throw badRequest("too_many_objects", `A user may have ${kind.heldMax} ${kind.noun}s; delete some first`);
  const named = await homeOfNamed(body, caller, deps);
  const { latestChannelId = await deps.keptObjects.latestChannelId(caller.userId) } = await deps.files.held(
    caller.userId,
  );
  const snapshot = { channels: deps.channels.snapshot.channels.filter((channel) => keeps(channel, kind)) };
  const home = named ?? fileHome(caller, snapshot, { pin, latestChannelId }, deps.random);
  if (!home) throw denied(503, `No channel keeps ${kind.noun}s for the ${groupsText(caller.groups)}`);
  if (!keeps(home.channel, kind))
    throw badRequest("invalid_request_error", `The channel that keeps the files keeps no ${kind.noun}s`, "file_ids");
  const request = { method: "POST", path: kind.path, headers: kind.headers, json: asJson(body) } as const;
  const gigabytes = kind.kind === "container" ? gigabytesOf(body) : 0;
  const act = async () => {
    const made = await readObject(await askHome(exchange, kind, home, request, deps), answerMax);
    const { id } = made;
    if (typeof id !== "string" || !objectId.test(id))
      throw badAnswer(`The provider's answer has no id of a ${kind.noun}`);
    return { id, made };
  };
  const { id, made: answer } = await chargingContainer(exchange, caller, home, { sessions: gigabytes, act }, deps);
  const made = { ...home, model: "" };
  const context = kind.addsContext ? contextTokens(body) : gigabytes || undefined;
  const { userId } = caller;
  await rememberObject({ kind: kind.kind, id, requestId: exchange.id, userId, made, contextTokens: context }, deps);
  sendJson(exchange, answer);
}

/** Whether a channel keeps such objects: those with fees that nothing counts only where the operator bears other such costs. */
const keeps = (channel: Parameters<typeof passesCostMembers>[0], { hasUnknownFee }: ObjectKind): boolean =>
  !hasUnknownFee || passesCostMembers(channel);

async function passOn(exchange: Exchange, address: ObjectAddress, id: string, deps: RelayDeps): Promise<void> {
  const { kind, below, route } = address;
  if (!route) throw notFound(kind);
  const { caller } = await admitObjectRequest(exchange, deps);
  const kept = await deps.providerStates.find(kind.kind, id, caller, deps.channels.snapshot);
  if (!kept) throw notFound(kind);
  const body = route.members && (await readObjectBody(exchange, route.members, caller, deps));
  const named = body && (await homeOfNamed(body, caller, deps));
  if (named && !isSame(named, kept)) throw elsewhere(kind.noun);
  if (body && route.addsContext)
    // Before the provider has it: a hold that is too large is better than one that is too small.
    await deps.providerStates.addContext(id, kept.channel, contextTokens(body));
  const request: ObjectRequest = {
    method: route.method,
    path: [kind.path, id, ...(below === "" ? [] : [below])].join("/"),
    headers: kind.headers,
    query: parametersOf(exchange),
    ...(body && { json: asJson(body) }),
  };
  const isDeletion = route.method === "DELETE" && below === "";
  const forget = () => deps.providerStates.forget(id, kept.channel, [deps.keptObjects.remove(id, kept.channel.id)]);
  // A use of its files keeps a container alive.
  const isUse = kind.kind === "container" && below !== "";
  const use = {
    sessions: isUse ? await deps.providerStates.sessionsDue(id, kept.channel) : 0,
    act: () => askHome(exchange, kind, kept, request, deps),
    pay: () => deps.providerStates.payContainer(id, kept.channel),
  };
  const answer = await chargingContainer(exchange, caller, kept, use, deps).catch(async (error: unknown) => {
    // The provider has it no longer, as after its expiry.
    if (isDeletion && error instanceof RelayRefused && error.refusal.status === 404) await forget();
    throw error;
  });
  if (route.answer === "bytes") return passBytes(exchange, answer, "application/octet-stream");
  const json = await readObject(answer, answerMax);
  if (isDeletion) await forget();
  const ids = route.answer === "items" ? itemsIn(json) : [];
  if (ids.length > 0) await deps.providerStates.issue(ids, caller.userId, { ...kept, model: "" });
  sendJson(exchange, json);
}

/** Of a list of items, or of one. */
const itemsIn = (json: JsonRecord): IssuedId[] =>
  [json, ...records(json.data)].flatMap(({ id }) =>
    typeof id === "string" && objectId.test(id) ? [{ kind: "item" as const, id }] : [],
  );

async function readObjectBody(
  exchange: Exchange,
  members: readonly string[],
  caller: RelayCaller,
  deps: RelayDeps,
): Promise<JsonRecord> {
  if (deps.guards.isOn()) await deps.guards.refuseUnread(caller);
  return objectBodyIn(await readBody(exchange.request, bodyMax, freeTerms(exchange, deps)), members);
}

const asJson = (body: JsonRecord): Buffer => Buffer.from(JSON.stringify(body));

/** What calls that name the object will read of this body. */
function contextTokens(body: JsonRecord): number {
  const bytes = asJson(body).length;
  return Math.ceil(bytes / bytesPerContextToken) + unseenInputTokens(unseenInputsIn({ input: body.items }));
}

function parametersOf({ request: { url = "" } }: Exchange): URLSearchParams {
  const asked = new URLSearchParams(url.split("?", 2)[1]);
  return new URLSearchParams([...asked].filter(([name]) => passedParameters.includes(name)));
}

async function askHome(
  exchange: Exchange,
  kind: ObjectKind,
  home: ObjectHome,
  request: ObjectRequest,
  deps: RelayDeps,
): Promise<UpstreamResponse> {
  const sent = await sendObjectRequest(deps, home, request, (upstream) =>
    // What the provider makes must be known to the gateway, whether the client waits or not.
    exchange.onClientLeave(request.method === "GET" ? () => upstream.abort("the client left") : undefined),
  );
  if ("answer" in sent) return sent.answer;
  if (isAnswerLost(sent.error)) throw new ObjectAnswerLost(sent.error.refusal);
  throw sent.error.status === 404 ? notFound(kind) : new RelayRefused(sent.error.refusal);
}

/** The same for an object of another user as for one that never existed. */
const notFound = ({ noun }: ObjectKind): RelayRefused =>
  new RelayRefused({ status: 404, type: "invalid_request_error", code: null, message: `The ${noun} was not found` });
