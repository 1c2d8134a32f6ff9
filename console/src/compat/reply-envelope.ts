/** Everything in which servers of this family differ, made one shape here so that no screen has to know. */

import { isJsonRecord } from "@tollgate/contract/json-record.ts";

export type ReplyEnvelope = {
  success: boolean;
  message: string;
  code: string | undefined;
  data: unknown;
  fields: Record<string, string> | undefined;
  retryAfterSeconds: number | undefined;
  /** The other members beside `data`: `total`, `time`, `balance`. */
  extras: Record<string, unknown>;
};

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** Limits answer with `error.message` even under /api, and a few documents come without any envelope. */
export function readEnvelope(body: unknown, ok: boolean): ReplyEnvelope {
  const empty = { code: undefined, fields: undefined, retryAfterSeconds: undefined, extras: {} };
  if (isJsonRecord(body) && isJsonRecord(body.error) && typeof body.success !== "boolean") {
    const error = body.error;
    return {
      ...empty,
      success: false,
      message: text(error.message),
      code: text(error.code) || undefined,
      data: undefined,
    };
  }
  if (!isJsonRecord(body) || typeof body.success !== "boolean") {
    return { ...empty, success: ok, message: "", data: body };
  }
  const { success, message, code, data, fields, retry_after, ...extras } = body;
  return {
    success,
    message: text(message),
    code: text(code) || undefined,
    data,
    fields: isJsonRecord(fields) ? (fields as Record<string, string>) : undefined,
    retryAfterSeconds: typeof retry_after === "number" ? retry_after : undefined,
    extras,
  };
}

/** A server may answer `null` for a list it never filled. */
export function listOrEmpty(data: unknown, expectsList: boolean): unknown {
  return expectsList && !Array.isArray(data) ? [] : (data ?? null);
}

export type EntityIds = { id?: number | string | undefined; uuid?: string | undefined };

/** What names an entity in a path, a link or a key. */
export function entityRef(entity: EntityIds): string {
  return String(entity.uuid ?? entity.id ?? "");
}

/** What a person may call an entity that has no name: a long reference by its end, where neighbours differ. */
export function shortEntityRef(entity: EntityIds): string {
  return String(entity.id ?? entity.uuid?.slice(-8) ?? "");
}

/** What names it in a body: both, because servers differ in which they read. */
export function entityIds<T extends EntityIds>(entity: T): Pick<T, "id" | "uuid"> {
  const ids: EntityIds = {};
  if (entity.id !== undefined) ids.id = entity.id;
  if (entity.uuid !== undefined) ids.uuid = entity.uuid;
  return ids as Pick<T, "id" | "uuid">;
}

/** No unix seconds of our time reach this; milliseconds all do. */
const millisecondsMin = 100_000_000_000;

/** The first time that is there, in seconds, whichever unit it came in. */
export function toUnixSeconds(...times: (number | null | undefined)[]): number {
  const time = times.find((candidate) => typeof candidate === "number" && candidate !== 0) ?? 0;
  return time >= millisecondsMin ? Math.floor(time / 1000) : time;
}

/** What older servers leave out of a log entry. */
const logDefaults = { cached_prompt_tokens: 0, origin_model_name: "", request_id: "", trace_id: "", content: "" };
export const withLogDefaults = <Entry extends object>(entry: Entry): Entry => ({ ...logDefaults, ...entry });
