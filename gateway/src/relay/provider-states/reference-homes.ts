/** The homes of the objects that a request names: the accounts that keep them. Pure. */
import type { ProviderStateRow } from "../../storage/tables/call-tables.ts";
import { type RelayRefused, refuseBadRequest } from "../wire/relay-refusal.ts";
import type { StateReference } from "./state-references.ts";

export interface FoundReference {
  reference: StateReference;
  /** The rows of the caller's that know the id; none for an unknown one. */
  own: readonly ProviderStateRow[];
}

export interface ReferenceHomes {
  unknown: readonly StateReference[];
  /**
   * The channels that keep all of the known ones, with the account of each; undefined where any
   * channel will do.
   */
  homes: ReadonlyMap<number, string> | undefined;
  /** Kept by none of the channels that keep the ones before it. */
  apart: StateReference | undefined;
  contextTokens: readonly number[];
}

export function buildHomes(found: readonly FoundReference[]): ReferenceHomes {
  const unknown: StateReference[] = [];
  const contextTokens: number[] = [];
  let homes: Map<number, string> | undefined;
  let apart: StateReference | undefined;
  for (const { reference, own } of found) {
    if (reference.isCompared) continue;
    if (own.length === 0) unknown.push(reference);
    if (own.length === 0 || reference.isWrittenOut) continue;
    const before = homes;
    const here = own.filter(({ channel_id }) => before?.has(channel_id) ?? true);
    if (here.length === 0) apart ??= reference;
    homes = new Map(here.map(({ channel_id, key_hash }) => [channel_id, key_hash]));
    // Of a container, it is the size.
    const counts = here.flatMap(({ kind, context_tokens }) =>
      kind === "container" ? [] : (context_tokens ?? []),
    );
    if (counts.length > 0) contextTokens.push(Math.max(...counts));
  }
  return { unknown, homes, apart, contextTokens };
}

export const refuseKeptApart = ({ param }: StateReference): RelayRefused =>
  refuseBadRequest(
    "invalid_request_error",
    "The stored objects of the request belong to different providers",
    param,
  );
