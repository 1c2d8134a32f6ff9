/**
 * Events of the log as codes with facts, from which a console writes the sentence in the language
 * of its reader. `content` says the same in English.
 */
import * as z from "zod/mini";

/**
 * `logEventCodes` are what moved between a team and others: `user` is whose balance it was or
 * became, `by` who did it, and `quota` the units.
 */
export const logEventCodes = [
  /** From the balance of a user into that of a team. */
  "transfer_to_team",
  /** From the balance of a team into that of a user. */
  "transfer_from_team",
  /** New quota for a team. */
  "quota_for_team",
] as const;
export type LogEventCode = (typeof logEventCodes)[number];
export const isLogEventCode = (code: string): code is LogEventCode =>
  (logEventCodes as readonly string[]).includes(code);

/** `logEventFields` are missing in rows of calls, in older rows, and where only a text is known. */
export const logEventFields = {
  /** One of `logEventCodes`; a later version may know more. */
  code: z.optional(z.string()),
  params: z.optional(z.record(z.string(), z.union([z.string(), z.number()]))),
};

export interface LogEvent {
  code: LogEventCode;
  params: { quota: number; team: string; user: string; by: string };
}
