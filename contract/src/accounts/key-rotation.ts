/**
 * A token gets a new key, and its old one goes on working for a while: both are one token, with one
 * quota and one set of limits.
 */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { makeAboutField } from "../api/field-message.ts";
import { bodyReference, isNamed, namedExplanation } from "../api/ids.ts";
import { unixMillis } from "../api/scalars.ts";
import { token } from "./tokens.ts";

/**
 * Seven days: a key that may have leaked must not stay for longer than a program needs to be
 * changed.
 */
export const keyOverlapSecondsMax = 7 * 86_400;

export const rotateToken = endpoint("POST", "/api/token/rotate", {
  access: "user",
  scope: "tokens:write",
  summary:
    "Give a token a new key, while its old one works for overlap_seconds more; this reply always shows the new key",
  body: z
    .object({
      ...bodyReference,
      /**
       * `overlap_seconds` says how long the old key works on: 0 stops it, and every older one, at
       * once.
       */
      overlap_seconds: z
        .int()
        .check(
          z.minimum(0, makeAboutField("must be 0 or more")),
          z.maximum(
            keyOverlapSecondsMax,
            makeAboutField(`must be at most ${keyOverlapSecondsMax}`),
          ),
        ),
      /** The version that the caller read; refused when it is older than the stored one. */
      updated_at: z.optional(unixMillis),
    })
    .check(z.refine(isNamed, namedExplanation)),
  data: token,
  /** Present when no other reply will show the key. */
  extras: z.object({ key_shown_once: z.optional(z.boolean()) }),
});

export const stopOldKey = endpoint("POST", "/api/token/rotate/stop", {
  access: "user",
  scope: "tokens:write",
  summary: "Stop the old key of a rotated token before its time",
  body: z.object(bodyReference).check(z.refine(isNamed, namedExplanation)),
  data: token,
});
