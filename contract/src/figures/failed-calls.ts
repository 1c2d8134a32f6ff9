/**
 * Recent calls of the client API that failed before a channel was tried: what a newcomer's first
 * attempts look like.
 */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { queryInteger, unixMillis } from "../api/scalars.ts";

/** `tryFindings` are what the client did, not how the gateway answered. */
export const tryFindings = [
  "doubled_version",
  "missing_version",
  "unknown_path",
  "no_key",
  "wrong_header",
  "malformed_key",
  "unknown_key",
  "unknown_model",
  "refused",
] as const;
export type TryFinding = (typeof tryFindings)[number];

const failedTry = z.object({
  at: unixMillis,
  finding: z.enum(tryFindings),
  /** The requested model; only for calls with a key of the caller's own. */
  model: z.string(),
  /** The gateway's answer; only for calls with a key of the caller's own. */
  message: z.string(),
});
export type FailedTry = z.output<typeof failedTry>;

export const listFailedTries = endpoint("GET", "/api/user/failed_tries", {
  access: "user",
  scope: "logs:read",
  summary:
    "Calls of the last minutes that failed early, with a key of the caller or from the caller's address",
  query: z.object({ since: z.optional(queryInteger(0, Number.MAX_SAFE_INTEGER)) }),
  data: z.array(failedTry),
});
