/**
 * A page of a user's objects. The provider's list has those of all users: each object of the page
 * is asked for by itself.
 */
import type { KeptObjectRow } from "../../storage/tables/call-tables.ts";
import type { CallerIdentity, CallerReach } from "../admission/caller-parts.ts";
import {
  type ObjectRequest,
  readObject,
  sendObjectRequest,
} from "../creations/provider-objects.ts";
import { sendJson } from "../endpoints/json-endpoint.ts";
import type { KnownCall, ReplyToClient } from "../exchange-parts.ts";
import type { StateKind } from "../provider-states/state-references.ts";
import {
  admitObjectRequest,
  type ObjectRequestDeps,
} from "../stored-files/admit-object-request.ts";
import { objectAnswerMax } from "../stored-files/file-object.ts";
import type { SendDeps } from "../upstream/send.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import { RelayRefused, refuseBadRequest } from "../wire/relay-refusal.ts";
import type { HomeDeps } from "./home-of-named.ts";
import type { ObjectKind } from "./object-kinds.ts";
import type { RememberDeps } from "./remember-object.ts";

/** `KeptDeps` are what a request about kept objects reads, besides what creates them. */
export type KeptDeps = ObjectRequestDeps & HomeDeps & RememberDeps & SendDeps;

const pageMax = 20;

export async function listObjects(
  exchange: KnownCall & ReplyToClient,
  kind: ObjectKind,
  deps: KeptDeps,
): Promise<void> {
  const { caller } = await admitObjectRequest(exchange, deps);
  const asked = new URLSearchParams(exchange.request.url?.split("?", 2)[1]);
  const limit = Number(asked.get("limit") ?? pageMax);
  if (!Number.isInteger(limit) || limit < 1)
    throw refuseWrong("limit", "must be a positive integer");
  const order = asked.get("order") ?? "desc";
  if (order !== "asc" && order !== "desc") throw refuseWrong("order", "must be asc or desc");
  const afterId = asked.get("after");
  const after =
    afterId === null ? undefined : await deps.keptObjects.find(caller, kind.kind, afterId);
  if (afterId !== null && !after) throw refuseWrong("after", `names no ${kind.noun}`);
  const size = Math.min(limit, pageMax);
  const rows = await deps.keptObjects.page(caller, kind.kind, {
    after: after?.id,
    order,
    limit: size + 1,
  });
  const page = rows.slice(0, size);
  const request = (id: string) =>
    ({ method: "GET", path: `${kind.path}/${id}`, headers: kind.headers }) as const;
  const data = await readObjects(page, kind.kind, request, caller, deps);
  const ends = { first_id: page[0]?.object_id ?? null, last_id: page.at(-1)?.object_id ?? null };
  sendJson(exchange, { object: "list", data, ...ends, has_more: rows.length > size });
}

const refuseWrong = (param: string, issue: string): RelayRefused =>
  refuseBadRequest("invalid_request_error", `${param} ${issue}`, param);

/**
 * `readObjects` leaves out those that the provider has no longer, or that cannot be reached with
 * this key.
 */
export async function readObjects(
  rows: readonly KeptObjectRow[],
  kind: StateKind,
  request: (id: string) => ObjectRequest,
  caller: CallerIdentity & CallerReach,
  deps: KeptDeps,
): Promise<JsonRecord[]> {
  const objects = await Promise.all(
    rows.map((row) => readOne(row, kind, request(row.object_id), caller, deps)),
  );
  return objects.filter((object) => object !== undefined);
}

async function readOne(
  { object_id: id, channel_id }: KeptObjectRow,
  kind: StateKind,
  request: ObjectRequest,
  caller: CallerIdentity & CallerReach,
  deps: KeptDeps,
): Promise<JsonRecord | undefined> {
  const home = await deps.providerStates.find(kind, id, caller, deps.channels.snapshot);
  if (home?.channel.id !== channel_id) return undefined;
  const sent = await sendObjectRequest(deps, home, request, () => undefined);
  if ("answer" in sent) return readObject(sent.answer, objectAnswerMax);
  if (sent.error.status !== 404) throw new RelayRefused(sent.error.refusal);
  await deps.providerStates.forget(id, home.channel, [deps.keptObjects.remove(id, channel_id)]);
  return undefined;
}
