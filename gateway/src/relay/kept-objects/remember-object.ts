/** Remembers an object that a provider has made for a user, before its client learns the id. */
import { Conflict, type Write } from "../../storage/database.ts";
import { computeIdTime } from "../../storage/time-ids.ts";
import { type KeptOwner, ownerColumns } from "../admission/kept-owner.ts";
import { buildBadAnswer } from "../creations/provider-objects.ts";
import type {
  IssuedObjects,
  KeptObject,
  StoredContexts,
} from "../provider-states/provider-states.ts";
import type { IssuedId } from "../provider-states/state-references.ts";
import type { KeptObjectStore } from "./kept-object-store.ts";

export interface RememberDeps {
  keptObjects: KeptObjectStore;
  providerStates: IssuedObjects & StoredContexts;
}

export interface NewObject extends IssuedId {
  /** `requestId` is that of the request that made it. */
  requestId: number;
  owner: KeptOwner;
  made: KeptObject;
  /** Tokens that calls with it read; undefined where they are not known. */
  contextTokens?: number | undefined;
  /** Written in the same transaction. */
  also?: readonly Write[];
}

/** Throws `RelayRefused` for an id that the provider gave before: it stays with its first owner. */
export async function rememberObject(
  { requestId: id, kind, id: object_id, owner, made, contextTokens, also: more = [] }: NewObject,
  { keptObjects, providerStates }: RememberDeps,
): Promise<void> {
  const row = {
    id,
    object_id,
    channel_id: made.channel.id,
    kind,
    ...ownerColumns(owner),
    created_at: computeIdTime(id),
  };
  const also: Write[] = [keptObjects.insert(row), ...more];
  if (contextTokens !== undefined)
    also.push(providerStates.contextStored(object_id, made.channel, contextTokens));
  try {
    await providerStates.issue([{ kind, id: object_id }], owner, made, also);
  } catch (error) {
    if (error instanceof Conflict)
      throw buildBadAnswer(`The provider gave the ${kind} an id that it had given before`);
    throw error;
  }
}
