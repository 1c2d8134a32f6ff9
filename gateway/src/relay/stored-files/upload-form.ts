/**
 * The form of an upload: checked while it arrives, and written anew for the provider. Nothing of
 * the file is kept.
 */

import type { FormEvent } from "../wire/multipart-stream.ts";
import { RelayRefused, refuseBadRequest } from "../wire/relay-refusal.ts";

/** OpenAI's own limit of one file. */
export const fileBytesMax = 512 * 1024 * 1024;
const fieldBytesMax = 1_000;
const fileNameMax = 255;
/** `filePurposes` are what files are for. Fine-tuning and evaluations are not offered. */
export const filePurposes: readonly string[] = ["user_data", "assistants", "vision", "batch"];
const lifeSeconds = { min: 3_600, max: 30 * 86_400 };
const expiryAnchor = "expires_after[anchor]";
const expirySeconds = "expires_after[seconds]";

/** `UploadFacts` are what was read of an upload so far. */
export interface UploadFacts {
  purpose: string;
  filename: string;
  bytes: number;
}

export const buildUpload = (): UploadFacts => ({ purpose: "", filename: "", bytes: 0 });

/** `findFieldIssue` gives what is wrong with the value of a field; undefined where nothing is. */
function findFieldIssue(name: string, value: string): string | undefined {
  if (name === "purpose")
    return filePurposes.includes(value) ? undefined : `must be one of ${filePurposes.join(", ")}`;
  if (name === expiryAnchor) return value === "created_at" ? undefined : "must be created_at";
  const isLife =
    /^\d{1,9}$/.test(value) && Number(value) >= lifeSeconds.min && Number(value) <= lifeSeconds.max;
  return isLife ? undefined : `must be a number from ${lifeSeconds.min} to ${lifeSeconds.max}`;
}

const fieldNames = new Set(["purpose", expiryAnchor, expirySeconds]);

const refuseWrong = (name: string, issue: string): RelayRefused =>
  refuseBadRequest("invalid_multipart_request", `${name} ${issue}`, name);

/** The bytes for the provider, in order. Throws `RelayRefused`, also after some of them. */
export async function* uploadBody(
  events: AsyncIterable<FormEvent>,
  boundary: string,
  facts: UploadFacts,
): AsyncGenerator<Buffer> {
  const seen = new Set<string>();
  let field: { name: string; value: string } | undefined;
  const head = (disposition: string, more = ""): Buffer =>
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\n`,
      "latin1",
    );
  function* endField(): Generator<Buffer> {
    if (!field) return;
    const { name, value } = field;
    const issue = findFieldIssue(name, value);
    if (issue) throw refuseWrong(name, issue);
    if (name === "purpose") facts.purpose = value;
    yield Buffer.concat([head(`name="${name}"`), Buffer.from(value)]);
  }
  for await (const event of events) {
    if (Buffer.isBuffer(event)) {
      if (field) {
        field.value += event.toString("latin1");
        if (field.value.length > fieldBytesMax) throw refuseWrong(field.name, "is too long");
        continue;
      }
      facts.bytes += event.length;
      if (facts.bytes > fileBytesMax) throw refuseFileTooLarge();
      yield event;
      continue;
    }
    yield* endField();
    const { name, filename } = event;
    if (seen.has(name)) throw refuseWrong(name, "may be given once");
    if (seen.size > 0) yield Buffer.from("\r\n");
    seen.add(name);
    field = undefined;
    if (name === "file") {
      if (!filename || filename.length > fileNameMax)
        throw refuseWrong("file", "must be a file with a name");
      facts.filename = Buffer.from(filename, "latin1").toString("utf8");
      yield head(
        `name="file"; filename="${filename}"`,
        "Content-Type: application/octet-stream\r\n",
      );
    } else {
      if (!fieldNames.has(name) || filename !== undefined)
        throw refuseWrong(name, "is no field of an upload");
      field = { name, value: "" };
    }
  }
  yield* endField();
  for (const name of ["file", "purpose"])
    if (!seen.has(name)) throw refuseWrong(name, "is missing");
  if (seen.has(expiryAnchor) !== seen.has(expirySeconds))
    throw refuseWrong("expires_after", "needs anchor and seconds");
  yield Buffer.from(`\r\n--${boundary}--\r\n`);
}

export const refuseFileTooLarge = (): RelayRefused =>
  new RelayRefused({
    status: 413,
    type: "invalid_request_error",
    code: "request_too_large",
    message: `A file may have at most ${fileBytesMax / 1024 / 1024} MiB`,
    closesConnection: true,
  });
