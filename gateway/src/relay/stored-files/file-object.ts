/** A file as the gateway remembers it, and as clients read it. Pure. */

import type { ProviderFileRow } from "../../storage/tables/call-tables.ts";
import { idTime } from "../../storage/time-ids.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import { badAnswer } from "./provider-objects.ts";
import type { UploadFacts } from "./upload-form.ts";

/** What providers answer about one object is small. */
export const objectAnswerMax = 64 * 1024;
/** The year 2500, in seconds. */
const timeMax = 16_725_225_600;
export const objectId = /^[\w-]{1,256}$/;

/** What the gateway remembers: the provider's id and times, and the user's own words. Throws `RelayRefused`. */
export function fileRow(
  { id, expires_at }: JsonRecord,
  { purpose, filename, bytes }: UploadFacts,
  owner: Pick<ProviderFileRow, "id" | "channel_id" | "user_id">,
): ProviderFileRow {
  if (typeof id !== "string" || !objectId.test(id)) throw badAnswer("The provider's answer has no id of a file");
  const isTime =
    typeof expires_at === "number" && Number.isInteger(expires_at) && expires_at > 0 && expires_at < timeMax;
  return {
    ...owner,
    file_id: id,
    purpose,
    filename,
    bytes,
    created_at: idTime(owner.id),
    expires_at: isTime ? expires_at * 1_000 : null,
  };
}

/** As OpenAI's libraries read it. `status` is deprecated, and they demand it. */
export const fileObject = (row: ProviderFileRow): JsonRecord => ({
  id: row.file_id,
  object: "file",
  bytes: row.bytes,
  created_at: Math.floor(row.created_at / 1_000),
  expires_at: row.expires_at === null ? null : Math.floor(row.expires_at / 1_000),
  filename: row.filename,
  purpose: row.purpose,
  status: "processed",
});
