/**
 * The body of a request about an object: the members that are known, and the ids that it names.
 * Pure.
 */

import { boundOutline } from "../wire/bounded-json.ts";
import { isRecord, type JsonRecord } from "../wire/json-parts.ts";
import { type RelayRefused, refuseBadRequest } from "../wire/relay-refusal.ts";

/** Throws `RelayRefused`. The provider gets it written anew, and reads what was checked. */
export function parseObjectBody(body: Buffer, members: readonly string[]): JsonRecord {
  const text = body.toString("utf8");
  boundOutline(text);
  let json: unknown;
  try {
    json = text === "" ? {} : JSON.parse(text);
  } catch {
    throw refuseWrong("", "The body is not valid JSON");
  }
  if (!isRecord(json)) throw refuseWrong("", "The body must be an object");
  const other = Object.keys(json).find((name) => !members.includes(name));
  if (other !== undefined) throw refuseWrong(other, `${other.slice(0, 100)} is not offered here`);
  return json;
}

const refuseWrong = (param: string, message: string): RelayRefused =>
  refuseBadRequest("invalid_request_error", message, param);
