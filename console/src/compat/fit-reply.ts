/**
 * Fits the replies of compatible servers to the contract, so that no page meets a member that is
 * missing or of another kind: a missing text is empty, a missing list is empty, a missing number is
 * NaN ("unknown", which every format shows as a dash), a missing flag stays absent. Members beyond
 * the contract stay.
 */
import type { Endpoint } from "@tollgate/contract/api/endpoint.ts";
import { isJsonRecord } from "@tollgate/contract/api/json-record.ts";
import type { ReplyShape } from "@tollgate/contract/api/reply-shape.ts";
import { adaptReply } from "./adapt-reply.ts";
import type { ReplyEnvelope } from "./reply-envelope.ts";

type FittedReply = Record<string, unknown> & { data: unknown };

/**
 * `data` and the members beside it as the contract has them. Undefined where a read answers null
 * for a single thing, data of another kind, or a thing without its id. A change that succeeded
 * stays a success without its data, unless that is a text: a new secret.
 */
export function fitReply(
  { path, reply }: Pick<Endpoint, "path" | "reply">,
  { data: sent, extras }: Pick<ReplyEnvelope, "data" | "extras">,
): FittedReply | undefined {
  const fitExtras = { ...extras, ...fitMembers(reply.extras ?? {}, extras) };
  // Without a total, the list itself tells it.
  if (Number.isNaN(fitExtras.total)) delete fitExtras.total;
  if (reply.data === undefined) return { ...fitExtras, data: sent ?? null };
  const data = adaptReply(path, sent ?? null);
  const mayLackData = reply.isChange === true && reply.data !== "text";
  if (!mayLackData && !isOfKind(reply.data, data)) return undefined;
  if (reply.isChange !== true && lacksItsId(reply.data, data)) return undefined;
  return { ...fitExtras, data: fit(reply.data, data) };
}

/**
 * `lacksItsId` keeps a form from being opened, and saved, on fields that are empty because nothing
 * was read.
 */
function lacksItsId(shape: ReplyShape, data: unknown): boolean {
  if (typeof shape === "string" || !("members" in shape) || !isJsonRecord(data)) return false;
  const names = (["id", "uuid", "trace_id"] as const).filter((name) =>
    ["number", "text"].includes(String(shape.members[name])),
  );
  return names.length > 0 && !names.some((name) => isId(data[name]));
}

const isId = (value: unknown): boolean =>
  typeof value === "string" ? value !== "" : typeof value === "number" && Number.isFinite(value);

/**
 * `isOfKind` says whether the data as a whole is what was asked for; what is missing inside is
 * filled.
 */
function isOfKind(shape: ReplyShape, data: unknown): boolean {
  if (shape === "any") return true;
  if (shape === "text") return typeof data === "string";
  if (shape === "number") return typeof data === "number";
  if (shape === "flag") return typeof data === "boolean";
  if ("list" in shape)
    return data === null || (Array.isArray(data) && data.every((row) => fitsRow(shape.list, row)));
  // Servers in Go send null for a map without entries.
  if ("record" in shape) return data === null || isJsonRecord(data);
  if ("members" in shape) return isJsonRecord(data);
  return true;
}

const fitsRow = (shape: ReplyShape, row: unknown): boolean => row === null || isOfKind(shape, row);

function fit(shape: ReplyShape, value: unknown): unknown {
  if (shape === "any") return value;
  if (shape === "text") return readText(value);
  if (shape === "number") return readNumber(value);
  if (shape === "flag") return findFlag(value);
  if ("list" in shape) return Array.isArray(value) ? fitEntries(shape.list, value) : [];
  if ("record" in shape) {
    const entries = isJsonRecord(value) ? Object.entries(value) : [];
    return Object.fromEntries(
      entries
        .filter(([, entry]) => entry !== null)
        .map(([name, entry]) => [name, fit(shape.record, entry)]),
    );
  }
  if ("members" in shape) return fitMembers(shape.members, isJsonRecord(value) ? value : {});
  if ("optional" in shape) {
    const fitted = value === undefined || value === null ? undefined : fit(shape.optional, value);
    return Number.isNaN(fitted) ? undefined : fitted;
  }
  // A missing number is unknown; null is the contract's "there is none".
  if (value === undefined) return shape.nullable === "number" ? Number.NaN : null;
  return value === null ? null : fit(shape.nullable, value);
}

const fitEntries = (shape: ReplyShape, entries: readonly unknown[]): unknown[] =>
  entries
    .filter((entry) => fitsRow(shape, entry) && entry !== null)
    .map((entry) => fit(shape, entry));

/**
 * Fills in place: the reply was parsed for this call alone, and a year of usage has thousands of
 * rows.
 */
function fitMembers(members: Readonly<Record<string, ReplyShape>>, row: Record<string, unknown>) {
  for (const [name, shape] of Object.entries(members)) {
    const fitted = fit(shape, row[name]);
    if (fitted !== undefined) row[name] = fitted;
    else delete row[name];
  }
  return row;
}

/** Older servers send a list of names where newer ones join them with commas. */
function readText(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return Array.isArray(value) ? value.filter((part) => typeof part === "string").join(",") : "";
}

function readNumber(value: unknown): number {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : Number.NaN;
}

function findFlag(value: unknown): boolean | undefined {
  if (value === true || value === "true" || value === 1) return true;
  return value === false || value === "false" || value === 0 ? false : undefined;
}
