/** What every reply of `/api` looks like. */
import * as z from "zod/mini";

export const failure = z.object({
  success: z.literal(false),
  message: z.string(),
  /** One of `errors.ts`; absent from servers of other make. */
  code: z.optional(z.string()),
  /** For a 400: what is wrong with which field, by its path in the body or query. */
  fields: z.optional(z.record(z.string(), z.string())),
  /** Seconds to wait, where waiting helps. */
  retry_after: z.optional(z.int()),
  data: z.optional(z.unknown()),
});
export type ApiFailure = z.output<typeof failure>;

export const success = (data: z.ZodMiniType, extras: z.ZodMiniObject = z.object({})) =>
  z.extend(extras, { success: z.literal(true), message: z.string(), data });

/** Sent with every state-changing call by the console: a form on another site cannot set it. */
export const consoleHeader = { name: "X-Tollgate-Console", value: "1" } as const;
/** Makes a repeated creation answer the first one's result. */
export const idempotencyHeader = "Idempotency-Key";
