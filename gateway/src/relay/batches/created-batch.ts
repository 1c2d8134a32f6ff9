/** Finds out whether a provider took a batch whose creation had no usable answer: its list of batches says so. Pure. */
import type { ProviderBatchRow } from "../../storage/tables/call-tables.ts";
import { objectId } from "../stored-files/file-object.ts";
import { type JsonRecord, records } from "../wire/json-parts.ts";
import type { BatchTerms } from "./batch-terms.ts";

/** How far the clocks of gateway and provider may differ, and how long a creation may take. */
const slackMs = 10 * 60_000;

export type CreationOutcome =
  | { state: "taken"; batches: readonly JsonRecord[] }
  /** The list reaches back to the creation and does not have it. */
  | { state: "not_taken" }
  /** It may still appear. */
  | { state: "unknown" };

export function creationOutcome(
  list: JsonRecord,
  { created_at }: Pick<ProviderBatchRow, "created_at">,
  { inputFileId, endpoint }: Pick<BatchTerms, "inputFileId" | "endpoint">,
  now: number,
): CreationOutcome {
  const listed = records(list.data);
  const madeAt = ({ created_at: seconds }: JsonRecord): number => (typeof seconds === "number" ? seconds * 1_000 : 0);
  const batches = listed.filter(
    (batch) =>
      typeof batch.id === "string" &&
      objectId.test(batch.id) &&
      batch.input_file_id === inputFileId &&
      batch.endpoint === endpoint &&
      Math.abs(madeAt(batch) - created_at) <= slackMs,
  );
  if (batches.length > 0) return { state: "taken", batches };
  const reachesBack = list.has_more === false || listed.some((batch) => madeAt(batch) < created_at - slackMs);
  return Array.isArray(list.data) && reachesBack && now > created_at + slackMs
    ? { state: "not_taken" }
    : { state: "unknown" };
}
