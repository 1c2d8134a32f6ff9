/** A file as the gateway remembers it, and as clients read it. Pure. */

import type { ProviderFileRow } from "../../storage/tables/call-tables.ts";
import { computeIdTime } from "../../storage/time-ids.ts";
import { buildBadAnswer, objectId } from "../creations/provider-objects.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import type { UploadFacts } from "./upload-form.ts";

/** `objectAnswerMax` is what providers answer about one object is small. */
export const objectAnswerMax = 64 * 1024;
/** The year 2500, in seconds. */
const timeMax = 16_725_225_600;

/**
 * `buildFileRow` gives what the gateway remembers: the provider's id and times, and the user's own
 * words. Throws `RelayRefused`.
 */
export function buildFileRow(
  { id, expires_at }: JsonRecord,
  { purpose, filename, bytes }: UploadFacts,
  owner: Pick<ProviderFileRow, "id" | "channel_id" | "user_id" | "team_id">,
): ProviderFileRow {
  if (typeof id !== "string" || !objectId.test(id))
    throw buildBadAnswer("The provider's answer has no id of a file");
  const isTime =
    typeof expires_at === "number" &&
    Number.isInteger(expires_at) &&
    expires_at > 0 &&
    expires_at < timeMax;
  return {
    ...owner,
    file_id: id,
    purpose,
    filename,
    bytes,
    created_at: computeIdTime(owner.id),
    expires_at: isTime ? expires_at * 1_000 : null,
  };
}

/**
 * `buildFileObject` writes it as OpenAI's libraries read it. `status` is deprecated, and they
 * demand it.
 */
export const buildFileObject = (row: ProviderFileRow): JsonRecord => ({
  id: row.file_id,
  object: "file",
  bytes: row.bytes,
  created_at: Math.floor(row.created_at / 1_000),
  expires_at: row.expires_at === null ? null : Math.floor(row.expires_at / 1_000),
  filename: row.filename,
  purpose: row.purpose,
  status: "processed",
});
