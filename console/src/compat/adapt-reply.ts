/** Replies whose members stand elsewhere on compatible servers. */
import { isJsonRecord } from "@tollgate/contract/api/json-record.ts";

const adapters: Readonly<Record<string, (data: unknown) => unknown>> = {
  /** Older servers answer a range with bare rows, or with null for none. */
  "/api/user/dashboard": (data) => (Array.isArray(data) || data === null ? { logs: data } : data),
  /** Older servers keep the moments of a call with its log row. */
  "/api/trace/log/:id": (data) =>
    isJsonRecord(data) && data.timestamps === undefined && isJsonRecord(data.log)
      ? { ...data, timestamps: data.log.timestamps }
      : data,
};

export const adaptReply = (path: string, data: unknown): unknown => adapters[path]?.(data) ?? data;
