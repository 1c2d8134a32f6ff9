/**
 * The reply envelope. The console also serves as the front end of compatible servers, gateways
 * whose API differs from the contract in details. What it knows of these differences belongs into
 * this folder.
 */
import { isJsonRecord } from "@tollgate/contract/api/json-record.ts";

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

const readText = (value: unknown): string => (typeof value === "string" ? value : "");

/**
 * Rate limits answer with `error.message` even under /api, and a few documents have no envelope.
 */
export function readEnvelope(body: unknown, ok: boolean): ReplyEnvelope {
  const empty = { code: undefined, fields: undefined, retryAfterSeconds: undefined, extras: {} };
  if (isJsonRecord(body) && isJsonRecord(body.error) && typeof body.success !== "boolean") {
    const error = body.error;
    return {
      ...empty,
      success: false,
      message: readText(error.message),
      code: readText(error.code) || undefined,
      data: undefined,
    };
  }
  if (!isJsonRecord(body) || typeof body.success !== "boolean") {
    return { ...empty, success: ok, message: "", data: body };
  }
  const { success, message, code, data, fields, retry_after, ...extras } = body;
  return {
    success,
    message: readText(message),
    code: readText(code) || undefined,
    data,
    fields: isJsonRecord(fields) ? (fields as Record<string, string>) : undefined,
    retryAfterSeconds: typeof retry_after === "number" ? retry_after : undefined,
    extras,
  };
}
