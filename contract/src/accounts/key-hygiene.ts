/** Keys that work and that their owners should look at: what is wrong with each. */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { listExtras, pageFields, sortFields } from "../api/page.ts";
import { queryInteger } from "../api/scalars.ts";
import { heldToken } from "./all-tokens.ts";

export const keyFindings = [
  "unused",
  "unlimited",
  "old",
  "never_expires",
  "many_networks",
] as const;
export type KeyFinding = (typeof keyFindings)[number];

/** Ninety days: beyond that, the program of a key is most likely gone. */
export const unusedDaysDefault = 90;
/** A key is old a year after it was made, whether with its token or by a rotation. */
export const oldKeyDays = 365;
/** Networks of one key that are counted on one day: enough to tell that it is everywhere. */
export const networksCountedMax = 256;

export const examinedToken = z.extend(heldToken, {
  /** Unix seconds: when the present key was made, with its token or by a rotation. */
  key_time: z.int(),
  findings: z.array(z.enum(keyFindings)),
  /**
   * The UTC day, among the last 30 and since the key was replaced, on which it was used from the
   * most networks (/24 of IPv4, /48 of IPv6): Unix seconds of its start, and how many, counted up
   * to 256. Null where none is counted.
   */
  busiest_day: z.nullable(z.object({ start: z.int(), networks: z.int() })),
});
export type ExaminedToken = z.output<typeof examinedToken>;

export const examinedTokenSorts = ["id", "name", "accessed_time", "created_time"] as const;

const query = z.object({
  ...pageFields,
  ...sortFields(examinedTokenSorts),
  /** Only keys with this finding. */
  finding: z.optional(z.enum(keyFindings)),
  unused_days: z.optional(queryInteger(1, 3_650)),
});

export const listKeyFindings = endpoint("GET", "/api/token/findings", {
  access: "user",
  scope: "tokens:read",
  summary:
    "The caller's keys that work and are unused, unlimited, old, never expire or are used from many networks",
  query,
  data: z.array(examinedToken),
  extras: listExtras,
});

export const listAllKeyFindings = endpoint("GET", "/api/token/all/findings", {
  access: "admin",
  scope: "tokens:read",
  summary:
    "Keys of all users that work and are unused, unlimited, old, never expire or are used from many networks; each look is recorded",
  query,
  data: z.array(examinedToken),
  extras: listExtras,
});
