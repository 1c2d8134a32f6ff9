/** The body of a request about an object: the members that are known, and the ids that it names. Pure. */

import { boundedOutline } from "../wire/bounded-json.ts";
import { isRecord, type JsonRecord } from "../wire/json-parts.ts";
import { badRequest, type RelayRefused } from "../wire/relay-refusal.ts";

/** Throws `RelayRefused`. The provider gets it written anew, and reads what was checked. */
export function objectBodyIn(body: Buffer, members: readonly string[]): JsonRecord {
  const text = body.toString("utf8");
  boundedOutline(text);
  let json: unknown;
  try {
    json = text === "" ? {} : JSON.parse(text);
  } catch {
    throw wrong("", "The body is not valid JSON");
  }
  if (!isRecord(json)) throw wrong("", "The body must be an object");
  const other = Object.keys(json).find((name) => !members.includes(name));
  if (other !== undefined) throw wrong(other, `${other.slice(0, 100)} is not offered here`);
  return json;
}

const wrong = (param: string, message: string): RelayRefused => badRequest("invalid_request_error", message, param);
