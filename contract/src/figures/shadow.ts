/**
 * A dual run: the gateway of before answers, and this one prices and logs beside it without moving
 * a unit.
 */
import * as z from "zod/mini";
import { confirmation } from "../accounts/accounts.ts";
import { endpoint } from "../api/endpoint.ts";
import { makeAboutField } from "../api/field-message.ts";
import { unixMillis } from "../api/scalars.ts";

/** A run that is forgotten would keep this gateway from charging for longer. */
export const shadowHoursMax = 31 * 24;

const address = z.pipe(
  z
    .string()
    .check(
      z.trim(),
      z.maxLength(300),
      z.refine(isOrigin, makeAboutField("must be like https://old.example.com")),
    ),
  z.transform((text) => new URL(text).origin),
);

/** Every client's key is sent there: no credentials of its own, no path. */
function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null && /^https?:$/.test(url.protocol) && /^https?:\/\/[^/?#@\\\s]+\/?$/i.test(text)
  );
}

export const shadowRun = z.object({
  /** `address` is where the gateway of before answers: scheme, host and port. */
  address: z.string(),
  /** The run ends by itself. */
  until: unixMillis,
});
export type ShadowRun = z.output<typeof shadowRun>;

/**
 * `shadowReasons` says why calls cost here what they do not cost there. `price`: price or ratio
 * differ. `estimated`: the answer reported no usage, so that it was counted here. `not_served`: no
 * channel here would have served the call. `failed`: the gateway of before did not answer it.
 * `unmatched`: what it charged is not known. `rounding` and `same`: there is no difference, or one
 * unit.
 */
export const shadowReasons = [
  "price",
  "estimated",
  "not_served",
  "failed",
  "unmatched",
  "rounding",
  "same",
] as const;
export type ShadowReason = (typeof shadowReasons)[number];

/** Calls of one model whose difference has one reason. */
export const shadowDifference = z.object({
  model: z.string(),
  reason: z.enum(shadowReasons),
  calls: z.int(),
  /** Units that they would have cost here. */
  ours: z.int(),
  /** Units that the gateway of before charged, as far as that is known. */
  theirs: z.int(),
});
export type ShadowDifference = z.output<typeof shadowDifference>;

export const shadowReport = z.object({
  /** Null where none is on, or its time is over. */
  run: z.nullable(shadowRun),
  /** `differences` are those of all calls of the last weeks: the largest difference first. */
  differences: z.array(shadowDifference),
});
export type ShadowReport = z.output<typeof shadowReport>;

export const getShadowReport = endpoint("GET", "/api/shadow", {
  access: "root",
  scope: "none",
  summary:
    "The dual run with the gateway of before, and what calls cost here and there by model and reason",
  data: shadowReport,
});

export const startShadowRun = endpoint("PUT", "/api/shadow", {
  access: "root",
  scope: "none",
  summary:
    "Let the gateway of before answer every call, with the caller's own key, while this one prices and logs beside it",
  body: z.object({
    address,
    hours: z
      .int()
      .check(
        z.minimum(1, makeAboutField("must be 1 or more")),
        z.maximum(shadowHoursMax, makeAboutField(`must be at most ${shadowHoursMax}`)),
      ),
    ...confirmation,
  }),
  data: shadowReport,
});

export const stopShadowRun = endpoint("DELETE", "/api/shadow", {
  access: "root",
  scope: "none",
  summary: "End the dual run: this gateway answers and charges from the next call on",
  data: shadowReport,
});
