/** What the wallet of a team got and paid in a month. Months are UTC. */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { byId } from "../api/ids.ts";
import { reportMonth, reportRow } from "./reports.ts";

/**
 * `statementKinds` are why units came or went other than by a call. `grant` is new quota, or quota
 * that was taken back; `opening` is what an import carried over; `waiver` is what the operator bore.
 */
export const statementKinds = [
  "transfer",
  "redemption",
  "grant",
  "adjustment",
  "opening",
  "waiver",
] as const;
export type StatementKind = (typeof statementKinds)[number];

const statementLine = z.object({
  kind: z.enum(statementKinds),
  /** `entries` of the ledger, whose sum `quota` is. */
  entries: z.int(),
  quota: z.int(),
});
export type StatementLine = z.output<typeof statementLine>;

export const teamStatement = z.object({
  month: reportMonth,
  /** The days of a month that has not ended are not all there. */
  is_finished: z.boolean(),
  /**
   * Quota units, as all sums here: the balance less what the team owes. `opening_balance` plus
   * `received` less `given` and `spent` is `closing_balance`.
   */
  opening_balance: z.int(),
  received: z.array(statementLine),
  given: z.array(statementLine),
  /** What calls were charged. */
  spent: z.int(),
  closing_balance: z.int(),
  /** Each of the three adds up to `spent`. User 0 stands for the services of the team. */
  members: z.array(reportRow),
  /** Id 0 without a name stands for keys that were deleted. */
  keys: z.array(reportRow),
  models: z.array(reportRow),
});
export type TeamStatement = z.output<typeof teamStatement>;

/** The running month where none is named. */
const query = z.object({ month: z.optional(reportMonth) });

export const getTeamStatement = endpoint("GET", "/api/team/:id/statement", {
  access: "user",
  scope: "teams:read",
  inTeam: true,
  summary:
    "The month of a team's wallet: opening balance, what came and went, what members, keys and models spent, closing balance; for its admins and viewers",
  params: byId,
  query,
  data: teamStatement,
});

export const exportTeamStatement = endpoint("GET", "/api/team/:id/statement/export", {
  access: "user",
  scope: "teams:read",
  inTeam: true,
  summary: "The statement of a team's month as CSV, in quota units and US dollars",
  params: byId,
  query,
  stream: "text/csv",
});
