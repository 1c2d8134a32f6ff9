/**
 * Moving another system's data in from the console: root names a source, sees what would be
 * carried, and carries it. One at a time.
 */
import * as z from "zod/mini";
import { confirmation } from "../accounts/accounts.ts";
import { endpoint } from "../api/endpoint.ts";
import { makeAboutField } from "../api/field-message.ts";
import { prose, queryInteger, quotaUnits, unixMillis } from "../api/scalars.ts";
import { isCalendarDay, unlimitedUnitsDefault } from "./import-defaults.ts";

export const importFileBytesMax = 4 * 1_024 ** 3;
/**
 * A file arrives in parts, each within a minute: a whole one would outlast the time that a request
 * may take.
 */
export const importPartBytesMax = 8 * 1_024 ** 2;
const environmentCharactersMax = 64 * 1_024;

/**
 * `waiting`: named, and not read yet. `interrupted`: the process that ran it ended; carrying again
 * continues. A file is removed, and an address forgotten, once the import is `done` with `carry`,
 * or removed.
 */
export const siteImportStates = [
  "waiting",
  "running",
  "done",
  "failed",
  "stopped",
  "interrupted",
] as const;
export type SiteImportState = (typeof siteImportStates)[number];

/** `plan` writes nothing. `verify` follows `carry` by itself. */
export const siteImportPhases = ["plan", "carry", "verify"] as const;
export type SiteImportPhase = (typeof siteImportPhases)[number];

const rowCounts = z.object({
  /** `entity` is that of the kind of rows: `user`, `token`, `channel`, … */
  entity: z.string(),
  added: z.int(),
  changed: z.int(),
  unchanged: z.int(),
  left: z.int(),
});

/**
 * `importLoss` is one thing that is not carried, or carried otherwise: what the sentence about it
 * names.
 */
const importLoss = z.object({
  /** The kind of the row: `user`, `token`, `channel`, …; `site` for a whole table. */
  entity: z.string(),
  /** The id in the source. */
  source_id: z.string(),
  /** `name` is what the operator knows it by; may be empty. */
  name: z.string(),
  /** The field that is concerned; empty for the whole row. */
  field: z.string(),
  /** `value` is what the reason says of it, such as an amount or the models concerned. */
  value: z.string(),
});
export type SiteImportLoss = z.output<typeof importLoss>;

/** `importFinding` is what is not carried, or carried otherwise, for one reason. */
const importFinding = z.object({
  /** `reason` is one of `ImportLossReason`. */
  reason: z.string(),
  /** Money, access or a protection that ends. */
  is_grave: z.boolean(),
  count: z.int(),
  /** The first ones. */
  losses: z.array(importLoss),
});
export type ImportFinding = z.output<typeof importFinding>;

const importComparison = z.object({
  /** Rows that were compared. */
  compared: z.int(),
  difference_count: z.int(),
  /** The first ones. */
  differences: z.array(
    z.object({
      entity: z.string(),
      name: z.string(),
      /** `what` is one of `ImportDifferenceKind`. */
      what: z.string(),
      theirs: z.string(),
      ours: z.string(),
    }),
  ),
});
export type SiteImportComparison = z.output<typeof importComparison>;

export const siteImport = z.object({
  /** The operator's name for the source: a later import of the same name carries what is new. */
  name: z.string(),
  kind: z.enum(["file", "address"]),
  /** The place of the data, without secrets; empty until it was opened. */
  source: z.string(),
  /** `system` says which system it is; empty until it was opened. */
  system: z.string(),
  /** `uploaded_bytes` are those of a file, so far. */
  uploaded_bytes: z.int(),
  phase: z.enum(siteImportPhases),
  state: z.enum(siteImportStates),
  /** `has_source` says whether the source is still there to be read again. */
  has_source: z.boolean(),
  /** `failure` says why it failed. */
  failure: z.string(),
  started_by: z.string(),
  started_at: unixMillis,
  ended_at: z.nullable(unixMillis),
  counts: z.array(rowCounts),
  findings: z.array(importFinding),
  comparison: z.nullable(importComparison),
});
export type SiteImport = z.output<typeof siteImport>;

const latest = z.object({
  /** Null where none was begun, or it was removed. */
  latest: z.nullable(siteImport),
});

const shared = { access: "root", scope: "none", data: latest } as const;

export const getSiteImport = endpoint("GET", "/api/site_import", {
  ...shared,
  summary:
    "The latest import from the console: its plan, its progress, and what the comparison found",
});

export const beginSiteImport = endpoint("POST", "/api/site_import", {
  ...shared,
  summary:
    "Name a source to import from: an address, or a file whose parts follow; replaces an import that does not run",
  body: z.object({
    kind: z.enum(["file", "address"]),
    /** `postgres://…`, `mysql://…` or the SQL_DSN of the one-api family. */
    address: z.optional(prose(2_000)),
    name: z._default(
      z
        .string()
        .check(
          z.regex(
            /^[\w.-]{1,50}$/,
            makeAboutField("must be 1 to 50 letters, digits, dots or hyphens"),
          ),
        ),
      "main",
    ),
    /** Carries the log too. */
    logs: z._default(z.boolean(), false),
    /** The first UTC day whose log is carried by rows; older ones are in the sums alone. */
    logs_since: z.optional(
      z.string().check(z.refine(isCalendarDay, makeAboutField("must be a day like 2026-08-01"))),
    ),
    /**
     * The address of a server with the log, where it is in another database than the rest
     * (`LOG_SQL_DSN` of the one-api family).
     */
    log_address: z.optional(prose(2_000)),
    /** LiteLLM: its environment as lines of NAME=value, such as LITELLM_SALT_KEY. */
    environment: z.optional(prose(environmentCharactersMax)),
    /** LiteLLM: units of a wallet that has no budget there. */
    unlimited_as: z._default(quotaUnits, unlimitedUnitsDefault),
    ...confirmation,
  }),
});

export const uploadSiteImport = endpoint("PUT", "/api/site_import/file", {
  ...shared,
  summary: "The next part of the file: a SQLite database, or LiteLLM's config.yaml",
  query: z.object({ offset: queryInteger(0, importFileBytesMax) }),
  takesFile: true,
  timeoutMs: 90_000,
});

export const planSiteImport = endpoint("POST", "/api/site_import/plan", {
  ...shared,
  summary: "Read the source and tell what would be carried and what not; writes nothing",
});

export const carrySiteImport = endpoint("POST", "/api/site_import/carry", {
  ...shared,
  summary:
    "Carry the source in the background and compare it afterwards; continues an import that was broken off",
  body: z.object(confirmation),
});

export const stopSiteImport = endpoint("POST", "/api/site_import/stop", {
  ...shared,
  summary: "Stop the import that runs; what was carried stays",
});

export const removeSiteImport = endpoint("DELETE", "/api/site_import", {
  ...shared,
  summary: "Forget the import and its source; what was carried stays",
});
