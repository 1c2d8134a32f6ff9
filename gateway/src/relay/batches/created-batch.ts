/**
 * Finds out whether a provider took a batch whose creation had no usable answer: its list of
 * batches says so. Pure.
 */
import type { ProviderBatchRow } from "../../storage/tables/call-tables.ts";
import { objectId } from "../creations/provider-objects.ts";
import { type JsonRecord, records } from "../wire/json-parts.ts";
import type { BatchDialect } from "./batch-dialect.ts";
import type { BatchOrder } from "./batch-terms.ts";

/**
 * `slackMs` says how far the clocks of gateway and provider may differ, and how long a creation may
 * take.
 */
const slackMs = 10 * 60_000;

export type CreationOutcome =
  | { state: "taken"; batches: readonly JsonRecord[] }
  /** The list reaches back to the creation and does not have it. */
  | { state: "not_taken" }
  /** The batch may still appear. */
  | { state: "unknown" };

export function buildCreationOutcome(
  list: JsonRecord,
  { created_at }: Pick<ProviderBatchRow, "created_at">,
  asked: BatchOrder,
  { madeAt, hasTerms }: Pick<BatchDialect, "madeAt" | "hasTerms">,
  now: number,
): CreationOutcome {
  const listed = records(list.data);
  const batches = listed.filter(
    (batch) =>
      typeof batch.id === "string" &&
      objectId.test(batch.id) &&
      hasTerms(batch, asked) &&
      Math.abs(madeAt(batch) - created_at) <= slackMs,
  );
  if (batches.length > 0) return { state: "taken", batches };
  const reachesBack =
    list.has_more === false || listed.some((batch) => madeAt(batch) < created_at - slackMs);
  return Array.isArray(list.data) && reachesBack && isOver(created_at, now)
    ? { state: "not_taken" }
    : { state: "unknown" };
}

/**
 * `isOver` says whether a creation that was taken would be in the provider's list by now, and every
 * other one of its time in a row.
 */
export const isOver = (createdAt: number, now: number): boolean => now > createdAt + slackMs;
