/** The account that keeps what the body of a request about an object names. */
import type { CallerIdentity, CallerReach } from "../admission/caller-parts.ts";
import type { IssuedObjects, ObjectHome } from "../provider-states/provider-states.ts";
import { parseIdsNamed } from "../provider-states/state-references.ts";
import type { RelayChannelTable } from "../routing/channel-table.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import { RelayRefused, refuseBadRequest } from "../wire/relay-refusal.ts";

/** `HomeDeps` are what knows where the objects of users are kept. */
export interface HomeDeps {
  providerStates: IssuedObjects;
  channels: Pick<RelayChannelTable, "snapshot">;
}

/** Ids of one request: as many as a batch of files may have. */
const namedMax = 500;

/**
 * The account that keeps what the body names; undefined where it names nothing. Throws
 * `RelayRefused`.
 */
export async function findHomeOfNamed(
  body: JsonRecord,
  caller: CallerIdentity & CallerReach,
  deps: HomeDeps,
): Promise<ObjectHome | undefined> {
  const named = parseIdsNamed(body);
  if (named.length > namedMax)
    throw refuseBadRequest(
      "invalid_request_error",
      `A request can name at most ${namedMax} stored objects`,
    );
  let home: ObjectHome | undefined;
  for (const { kind, id, param } of named) {
    const kept = await deps.providerStates.find(kind, id, caller, deps.channels.snapshot);
    if (!kept)
      throw new RelayRefused({
        status: 404,
        type: "invalid_request_error",
        code: "stored_object_not_found",
        message: `${param}: the ${kind.replace("_", " ")} was not found`,
        param,
      });
    if (home && !isSame(home, kept)) throw elsewhere("other objects");
    home = kept;
  }
  return home;
}

export const isSame = (one: ObjectHome, other: ObjectHome): boolean =>
  one.channel.id === other.channel.id && one.key.key === other.key.key;

export const elsewhere = (noun: string): RelayRefused =>
  refuseBadRequest(
    "invalid_request_error",
    `What the request names is kept by another account than the ${noun}`,
  );
