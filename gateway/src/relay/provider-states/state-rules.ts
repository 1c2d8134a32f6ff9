/** Rules of kept ids: whose one is, where it may go, and what it costs. */
import { hash } from "node:crypto";
import type { ProviderStateRow } from "../../storage/tables/call-tables.ts";
import type { CallerReach } from "../admission/caller-parts.ts";
import type { CallFormats } from "../formats/api-format.ts";
import type { AskedModel, StatedNeeds } from "../formats/call-parts.ts";
import { computeSessionsDue } from "../formats/hold-size/container-sessions.ts";
import type {
  ChannelAccess,
  ChannelIdentity,
  RelayChannelKey,
  ServedModels,
} from "../routing/channel-parts.ts";
import { RelayRefused, refusePreviousResponseNotFound } from "../wire/relay-refusal.ts";
import { isOperatorKind, operatorRemedy } from "./operator-objects.ts";
import type { StateReference } from "./state-references.ts";

/** Every user of the channel may name it: the operator says so. */
export const isListed = ({ settings: { config } }: ChannelAccess, id: string): boolean =>
  Array.isArray(config.known_state_ids) && config.known_state_ids.includes(id);

export const hashId = (id: string): string => hash("sha256", id);

const keyHashLength = 32;

/** A name for one account of a channel that does not tell the account's key. */
export const hashAccount = (channel: ChannelIdentity, { key }: RelayChannelKey): string =>
  hash("sha256", `${channel.uuid} ${key}`).slice(0, keyHashLength);

/**
 * A container's row has its size in place of what calls read of it, and the beginning of the time
 * that was last paid for as its age.
 */
export const computeGigabytes = ({ context_tokens }: ProviderStateRow): number =>
  context_tokens ?? 1;

export const computeSessions = (row: ProviderStateRow, at: number): number =>
  computeSessionsDue(row.created_at, at) * computeGigabytes(row);

export const mayUseModel = ({ models }: Pick<CallerReach, "models">, model: string): boolean =>
  models === null || model === "" || models.has(model);

export function notFoundMessage({ kind, param }: StateReference): string {
  const why = isOperatorKind(kind)
    ? operatorRemedy
    : "Stored objects are known to the user whose call created them";
  return `${param}: the ${kind.replace("_", " ")} was not found. ${why}`;
}

/** The provider gets the client's items as another format's, which has no ids. */
export const leavesOutItems = (
  channel: ServedModels,
  { model, client }: AskedModel & CallFormats,
): boolean =>
  client.endpoint === "response_api" &&
  channel.urlsFor(channel.modelMapping.get(model) ?? model)[client.endpoint] === undefined;

/** Responses are kept by channels that speak their API alone. */
export const mayKeepState = (
  channel: ServedModels,
  { model, client, refersTo }: AskedModel & StatedNeeds & CallFormats,
): boolean =>
  refersTo === undefined ||
  channel.urlsFor(channel.modelMapping.get(model) ?? model)[client.endpoint] !== undefined;

/** `stateNotFound` does the same for an id that never existed and for one of another user. */
export function stateNotFound(reference: StateReference, { client }: CallFormats): RelayRefused {
  const { param } = reference;
  if (param === "previous_response_id") return refusePreviousResponseNotFound();
  return new RelayRefused({
    status: 404,
    type: client.endpoint === "claude_messages" ? "not_found_error" : "invalid_request_error",
    message: notFoundMessage(reference),
    code: "stored_object_not_found",
    param,
  });
}
