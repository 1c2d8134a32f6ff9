/**
 * Events of the log as codes with facts, from which a console writes the sentence in the language
 * of its reader. `content` says the same in English.
 */
import * as z from "zod/mini";

/** `user` is whose balance it was or became, `by` who moved it. */
type TransferParams = { quota: number; team: string; user: string; by: string };

/** `LogEventParams` has a row for each event; `quota` and other amounts are units. */
export interface LogEventParams {
  /** From the balance of a user into that of a team. */
  transfer_to_team: TransferParams;
  /** From the balance of a team into that of a user. */
  transfer_from_team: TransferParams;
  /** New quota for a team. */
  quota_for_team: TransferParams;
  /** From the balance of one user into that of another; both are usernames. */
  transfer_to_user: { quota: number; sender: string; recipient: string };
  /** What a new account starts with. */
  new_account: { quota: number };
  /** What a new account gets for the code with which it was invited. */
  invitation_used: { quota: number };
  /** What `user` brought to who invited them. */
  invitation_reward: { quota: number; user: string };
  /** An administrator edited the balance. */
  quota_changed: { before: number; after: number; by: string };
  /** An administrator topped up; `remark` is empty where there was none. */
  topped_up: { quota: number; remark: string };
  code_redeemed: { quota: number };
  debt_waived: { quota: number; by: string };
  /** The debt of an account that `by` deleted. */
  debt_of_deleted: { quota: number; by: string };
  /** `before` is a moment as ISO text. */
  logs_deleted: { rows: number; before: string };
  /** `reason` is read by `disabling-reasons.ts`. */
  channel_disabled: { channel: string; reason: string };
  channel_enabled: { channel: string };
  /** `hint` is the end of the key. */
  channel_key_disabled: { channel: string; place: number; hint: string; reason: string };
}

export type LogEventCode = keyof LogEventParams;

export type LogEvent = {
  [Code in LogEventCode]: { code: Code; params: LogEventParams[Code] };
}[LogEventCode];

/** `logEventFields` are missing in rows of calls, in older rows, and where only a text is known. */
export const logEventFields = {
  /** One of `LogEventParams`; a later version may know more. */
  code: z.optional(z.string()),
  params: z.optional(z.record(z.string(), z.union([z.string(), z.number()]))),
};
