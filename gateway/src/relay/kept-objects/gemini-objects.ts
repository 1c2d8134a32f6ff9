/**
 * The common parts of Gemini's caches and files: they lie beside Google's API and belong to the
 * user who made them.
 */
import type { CallerIdentity, CallerReach } from "../admission/caller-parts.ts";
import {
  type ObjectApi,
  type ObjectRequest,
  readObject,
  sendObjectRequest,
} from "../creations/provider-objects.ts";
import { sendJson } from "../endpoints/json-endpoint.ts";
import type { ErrorFormatChoice, KnownCall, ReplyToClient, SentAnswer } from "../exchange-parts.ts";
import { gemini } from "../formats/gemini.ts";
import { geminiErrors } from "../formats/gemini-errors.ts";
import type { KeptObject, ObjectHome } from "../provider-states/provider-states.ts";
import type { StateKind } from "../provider-states/state-references.ts";
import { admitObjectRequest } from "../stored-files/admit-object-request.ts";
import { objectAnswerMax } from "../stored-files/file-object.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import { RelayRefused, refuseBadRequest } from "../wire/relay-refusal.ts";
import { type KeptDeps, readObjects } from "./list-objects.ts";

export const besideGemini: ObjectApi = {
  format: gemini,
  address: /\/models$/,
  request: { contents: [{ parts: [] }] },
};
const pageMax = 20;

export interface GeminiKind {
  kind: StateKind;
  noun: string;
  /** The member of a page that holds its objects. */
  member: string;
  /** The address of one beside the API, by the id that its row has. */
  pathOf(id: string): string;
  /** `shown` gives the object as clients read it. */
  shown(object: JsonRecord): JsonRecord;
}

export type GeminiHandler<Deps = KeptDeps> = (
  exchange: KnownCall & ErrorFormatChoice & ReplyToClient & SentAnswer,
  deps: Deps,
) => Promise<void>;

/** Writes every error as Gemini does. */
export const inGeminiFormat =
  <Deps>(handler: GeminiHandler<Deps>): GeminiHandler<Deps> =>
  async (exchange, deps) => {
    exchange.speak(geminiErrors);
    await handler(exchange, deps);
  };

/** Throws the same for an object of another user as for one that never existed. */
export async function ownGeminiObject(
  { kind, noun }: GeminiKind,
  id: string,
  caller: CallerIdentity & CallerReach,
  deps: KeptDeps,
): Promise<KeptObject> {
  const kept = await deps.providerStates.find(kind, id, caller, deps.channels.snapshot);
  if (!kept) throw notFound(noun);
  return kept;
}

/** Sends a request about one object; what the provider has no longer, or deletes, is forgotten. */
export async function passToGemini(
  exchange: ReplyToClient,
  kind: GeminiKind,
  id: string,
  { channel, key }: ObjectHome,
  request: Omit<ObjectRequest, "path">,
  deps: KeptDeps,
): Promise<void> {
  const isDeletion = request.method === "DELETE";
  const forget = () =>
    deps.providerStates.forget(id, channel, [deps.keptObjects.remove(id, channel.id)]);
  const asked = askGemini(kind, { channel, key }, { ...request, path: kind.pathOf(id) }, deps);
  const answer = await asked.catch(async (error: unknown) => {
    if (isDeletion && error instanceof RelayRefused && error.refusal.status === 404) await forget();
    throw error;
  });
  if (isDeletion) await forget();
  sendJson(exchange, isDeletion ? answer : kind.shown(answer));
}

/**
 * A page of the caller's own; each object is asked for by itself, for the provider's list has those
 * of all users.
 */
export const listGemini =
  (kind: GeminiKind): GeminiHandler =>
  async (exchange, deps) => {
    const { caller } = await admitObjectRequest(exchange, deps);
    const asked = new URLSearchParams(exchange.request.url?.split("?", 2)[1]);
    const size = Number(asked.get("pageSize") ?? pageMax);
    if (!Number.isInteger(size) || size < 1)
      throw refuseBadRequest("invalid_request_error", "pageSize must be positive");
    const token = asked.get("pageToken");
    const after =
      token === null ? undefined : await deps.keptObjects.find(caller, kind.kind, token);
    if (token !== null && !after)
      throw refuseBadRequest("invalid_request_error", "pageToken names no page");
    const limit = Math.min(size, pageMax);
    const wanted = { after: after?.id, order: "desc", limit: limit + 1 } as const;
    const rows = await deps.keptObjects.page(caller, kind.kind, wanted);
    const page = rows.slice(0, limit);
    const request = (id: string) =>
      ({ method: "GET", api: besideGemini, path: kind.pathOf(id) }) as const;
    const objects = await readObjects(page, kind.kind, request, caller, deps);
    const nextPageToken = rows.length > limit ? page.at(-1)?.object_id : undefined;
    const more = nextPageToken === undefined ? {} : { nextPageToken };
    sendJson(exchange, { [kind.member]: objects.map(kind.shown), ...more });
  };

async function askGemini(
  { noun }: GeminiKind,
  home: ObjectHome,
  request: ObjectRequest,
  deps: KeptDeps,
): Promise<JsonRecord> {
  const sent = await sendObjectRequest(
    deps,
    home,
    { ...request, api: besideGemini },
    () => undefined,
  );
  if ("answer" in sent) return readObject(sent.answer, objectAnswerMax);
  throw sent.error.status === 404 ? notFound(noun) : new RelayRefused(sent.error.refusal);
}

const notFound = (noun: string): RelayRefused =>
  new RelayRefused({
    status: 404,
    type: "invalid_request_error",
    code: null,
    message: `The ${noun} was not found`,
  });
