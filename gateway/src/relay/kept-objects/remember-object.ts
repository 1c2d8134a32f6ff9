/** Remembers an object that a provider has made for a user, before its client learns the id. */
import { Conflict, type Write } from "../../storage/database.ts";
import { idTime } from "../../storage/time-ids.ts";
import type { KeptObject } from "../provider-states/provider-states.ts";
import type { IssuedId } from "../provider-states/state-references.ts";
import type { RelayDeps } from "../relay-deps.ts";
import { badAnswer } from "../stored-files/provider-objects.ts";

export interface NewObject extends IssuedId {
  /** Of the request that made it. */
  requestId: number;
  userId: number;
  made: KeptObject;
  /** Tokens that calls with it read; undefined where they are not known. */
  contextTokens?: number | undefined;
  /** Written in the same transaction. */
  also?: readonly Write[];
}

/** Throws `RelayRefused` for an id that the provider gave before: it stays with its first owner. */
export async function rememberObject(
  { requestId: id, kind, id: object_id, userId: user_id, made, contextTokens, also: more = [] }: NewObject,
  { keptObjects, providerStates }: Pick<RelayDeps, "keptObjects" | "providerStates">,
): Promise<void> {
  const row = { id, object_id, channel_id: made.channel.id, kind, user_id, created_at: idTime(id) };
  const also: Write[] = [keptObjects.insert(row), ...more];
  if (contextTokens !== undefined) also.push(providerStates.contextStored(object_id, made.channel, contextTokens));
  try {
    await providerStates.issue([{ kind, id: object_id }], user_id, made, also);
  } catch (error) {
    if (error instanceof Conflict) throw badAnswer(`The provider gave the ${kind} an id that it had given before`);
    throw error;
  }
}
