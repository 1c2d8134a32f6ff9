/** The envelope of every reply of `/api`. */
import * as z from "zod/mini";

export const failure = z.object({
  success: z.literal(false),
  message: z.string(),
  /** A code of `errors.ts`; absent from compatible servers. */
  code: z.optional(z.string()),
  /** `fields` are for a 400: the error of each field, by its path in the body or query. */
  fields: z.optional(z.record(z.string(), z.string())),
  /** Seconds to wait, where waiting helps. */
  retry_after: z.optional(z.int()),
  data: z.optional(z.unknown()),
});
export type ApiFailure = z.output<typeof failure>;

export const success = (data: z.ZodMiniType, extras: z.ZodMiniObject = z.object({})) =>
  z.extend(extras, { success: z.literal(true), message: z.string(), data });

/** The console sends it with every state-changing call; a form on another site cannot. */
export const consoleHeader = { name: "X-Tollgate-Console", value: "1" } as const;
/**
 * A change with it is checked (who calls, what is sent) and not made. Only servers with the feature
 * `dry_run` know it.
 */
export const dryRunHeader = { name: "Dry-Run", value: "true" } as const;
/** A repeated creation with the same value returns the result of the first. */
export const idempotencyHeader = "Idempotency-Key";
