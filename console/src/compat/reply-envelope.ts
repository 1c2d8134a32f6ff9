/** The reply envelope, in the form that all compatible servers' replies are brought to. */

import { isJsonRecord } from "@tollgate/contract/json-record.ts";

export type ReplyEnvelope = {
  success: boolean;
  message: string;
  code: string | undefined;
  data: unknown;
  fields: Record<string, string> | undefined;
  retryAfterSeconds: number | undefined;
  /** The members beside `data`: `total`, `time`, `balance`. */
  extras: Record<string, unknown>;
};

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** Rate limits answer with `error.message` even under /api, and a few documents have no envelope. */
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

/** A compatible server may answer `null` for an empty list. */
export function listOrEmpty(data: unknown, expectsList: boolean): unknown {
  return expectsList && !Array.isArray(data) ? [] : (data ?? null);
}

export type EntityIds = { id?: number | string | undefined; uuid?: string | undefined };

/** The id of an entity in a path, a link or a React key. */
export function entityRef(entity: EntityIds): string {
  return String(entity.uuid ?? entity.id ?? "");
}

/**
 * A short id to show for an entity without a name. The last characters of a uuid, because the first are a timestamp.
 */
export function shortEntityRef(entity: EntityIds): string {
  return String(entity.id ?? entity.uuid?.slice(-8) ?? "");
}

/** Both ids for a body: compatible servers differ in which one they read. */
export function entityIds<T extends EntityIds>(entity: T): Pick<T, "id" | "uuid"> {
  const ids: EntityIds = {};
  if (entity.id !== undefined) ids.id = entity.id;
  if (entity.uuid !== undefined) ids.uuid = entity.uuid;
  return ids as Pick<T, "id" | "uuid">;
}

/** Values from here on are milliseconds: as seconds they would be in the year 5138. */
const millisecondsMin = 100_000_000_000;

/** The first time that is set, converted to seconds. */
export function toUnixSeconds(...times: (number | null | undefined)[]): number {
  const time = times.find((candidate) => typeof candidate === "number" && candidate !== 0) ?? 0;
  return time >= millisecondsMin ? Math.floor(time / 1000) : time;
}

/** Members of a log entry that compatible servers may omit. */
const logDefaults = { cached_prompt_tokens: 0, origin_model_name: "", request_id: "", trace_id: "", content: "" };
export const withLogDefaults = <Entry extends object>(entry: Entry): Entry => ({ ...logDefaults, ...entry });
