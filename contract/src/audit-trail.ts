/** The record of what people changed: only ever added to, each entry chained to the one before it. For root alone. */
import * as z from "zod/mini";
import { endpoint } from "./endpoint.ts";
import { listExtras, pageFields } from "./page.ts";
import { unixMillis } from "./scalars.ts";

export const auditEntry = z.object({
  id: z.int(),
  at: unixMillis,
  /** 0 for the operator at the machine and for what the gateway does on its own. */
  actor_id: z.int(),
  /** The name of today; empty where there is none. */
  actor: z.string(),
  /** Where the call came from; empty where there was none. */
  address: z.string(),
  /** Subject and verb, such as `channel.update`. */
  action: z.string(),
  /** Mostly the uuid of what was changed. */
  target: z.string(),
  /** JSON of what changed, secrets left out. */
  change: z.string(),
  /** SHA-256 (hex) over the hash before it and this entry. */
  hash: z.string(),
});
export type AuditEntry = z.output<typeof auditEntry>;

export const listAuditEntries = endpoint("GET", "/api/audit/", {
  access: "root",
  summary: "What was changed, when and by whom, newest first",
  query: z.object(pageFields),
  data: z.array(auditEntry),
  extras: listExtras,
});

/** One entry on a line, as stored, with the hash before it: who has the file can follow the chain. */
export const exportAuditEntries = endpoint("GET", "/api/audit/export", {
  access: "root",
  summary: "The whole record of changes, oldest first",
  query: z.object({}),
  stream: "application/x-ndjson",
});
