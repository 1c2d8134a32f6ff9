/**
 * The append-only record of administrative changes. Each entry is chained to the one before it.
 * Root only.
 */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { listExtras, pageFields } from "../api/page.ts";
import { line, unixMillis } from "../api/scalars.ts";

export const auditEntry = z.object({
  id: z.int(),
  at: unixMillis,
  /** 0 for commands of the operator and for automatic changes. */
  actor_id: z.int(),
  /** The actor's current name; empty where there is none. */
  actor: z.string(),
  /** The client's address; empty where no client acted. */
  address: z.string(),
  /** Subject and verb, such as `channel.update`. */
  action: z.string(),
  /** Usually the uuid of the changed entity. */
  target: z.string(),
  /** `target_name` is what the target is called now; empty where it has no name, or is gone. */
  target_name: z.string(),
  /** JSON of the change, without secrets. */
  change: z.string(),
  /** `change_names` are the present names of the things whose uuids stand in `change`, by uuid. */
  change_names: z.optional(z.record(z.string(), z.string())),
  /** SHA-256 (hex) over the previous hash and this entry. */
  hash: z.string(),
});
export type AuditEntry = z.output<typeof auditEntry>;

export const listAuditEntries = endpoint("GET", "/api/audit/", {
  access: "root",
  scope: "audit:read",
  summary:
    "The audit trail, newest entry first, whole or what is about a subject, a person or a thing",
  query: z.object({
    ...pageFields,
    /** The first part of `action`, such as `channel`. */
    subject: z.optional(z.string().check(z.regex(/^[a-z_]{0,40}$/))),
    /** The username of who changed it, as it is now. */
    actor: z.optional(line(100)),
    /** Exactly the `target` of an entry. */
    target: z.optional(line(200)),
  }),
  data: z.array(auditEntry),
  extras: listExtras,
});

/**
 * `exportAuditEntries` are one stored entry per line with the previous hash, so that the chain can
 * be verified from the file alone.
 */
export const exportAuditEntries = endpoint("GET", "/api/audit/export", {
  access: "root",
  scope: "audit:read",
  summary: "The whole audit trail, oldest entry first",
  query: z.object({}),
  stream: "application/x-ndjson",
});
