/**
 * More than the amount of a budget, for one window alone: what its managers grant, and the requests
 * of those whom it limits. A grant is stored with the counter of the window and ends with it.
 */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { makeAboutField } from "../api/field-message.ts";
import { byId, entityId } from "../api/ids.ts";
import { line, quotaMax, unixMillis } from "../api/scalars.ts";
import { runName } from "../figures/runs.ts";
import { budgetMeasures, budgetSubjects } from "./budget-kinds.ts";
import { budget, budgetAmount } from "./budgets.ts";
import { teamBudget } from "./team-caps.ts";

/** `shownWindow` is the window that the form showed; refused when another one has begun. */
const shownWindow = { window_start: z.optional(unixMillis) };

/** `amount` is in the measure of the budget; below 0 to take back what was granted. */
const grantedAmount = z.int().check(
  z.minimum(-quotaMax, makeAboutField(`must be at least -${quotaMax}`)),
  z.maximum(quotaMax, makeAboutField(`must be at most ${quotaMax}`)),
  z.refine((amount) => amount !== 0, makeAboutField("must not be 0")),
);

const budgetGrant = z.object({
  amount: grantedAmount,
  /** `run` names the run of an agent, in a budget that counts each run by itself. */
  run: z.optional(runName),
  ...shownWindow,
});
export type BudgetGrant = z.output<typeof budgetGrant>;

export const grantBudget = endpoint("POST", "/api/budget/:id/grant", {
  access: "admin",
  scope: "budgets:write",
  summary:
    "Add to the amount of a budget in its current window alone; below 0 takes back what was added",
  params: byId,
  body: budgetGrant,
  data: budget,
});

export const grantMemberCap = endpoint("POST", "/api/team/:id/grant_member_cap", {
  access: "user",
  scope: "teams:write",
  inTeam: true,
  summary:
    "Add to the cap of one member in its current window alone; below 0 takes back what was added",
  params: byId,
  body: z.object({ budget_id: entityId, amount: grantedAmount, ...shownWindow }),
  data: teamBudget,
});

export const requestReasonMax = 500;

export const budgetRequestStatuses = ["waiting", "granted", "declined", "withdrawn"] as const;
export type BudgetRequestStatus = (typeof budgetRequestStatuses)[number];

/** `budgetRequest` asks for more than the amount of a budget in one window, and ends with it. */
export const budgetRequest = z.object({
  id: z.int(),
  budget_id: z.int(),
  budget_name: z.string(),
  subject: z.enum(budgetSubjects),
  /** The name of the user, API key or team that the budget limits. */
  subject_name: z.string(),
  /** The team of a team's or a member's budget; 0 and empty for others. */
  team_id: z.int(),
  team_name: z.string(),
  measure: z.enum(budgetMeasures),
  /** `amount` is what is asked for beside what the budget has. */
  amount: z.int(),
  reason: z.string(),
  user_id: z.int(),
  username: z.string(),
  window_start: unixMillis,
  /** `resets_at` is when the window ends; null for one without an end. */
  resets_at: z.nullable(unixMillis),
  created_at: unixMillis,
  status: z.enum(budgetRequestStatuses),
  /** `granted` is in the measure; 0 until the request is granted. */
  granted: z.int(),
  /** `may_decide` says that the caller may grant or decline it. */
  may_decide: z.boolean(),
});
export type BudgetRequest = z.output<typeof budgetRequest>;

export const askBudget = endpoint("POST", "/api/budget/:id/request", {
  access: "user",
  scope: "none",
  summary:
    "Ask for more of a budget in its current window; replaces what the caller asked of it before",
  params: byId,
  body: z.object({ amount: budgetAmount, reason: z._default(line(requestReasonMax), "") }),
  data: budgetRequest,
});

export const listBudgetRequests = endpoint("GET", "/api/budget_request/", {
  access: "user",
  scope: "none",
  summary:
    "Requests for more of a budget in its current window, oldest first: the caller's own ones, and those that wait for a decision that the caller may take; auditors read all that wait",
  data: z.array(budgetRequest),
});

export const grantBudgetRequest = endpoint("POST", "/api/budget_request/:id/grant", {
  access: "user",
  scope: "none",
  summary: "Grant a request, or another amount than it asks for",
  params: byId,
  body: z.object({ amount: z.optional(budgetAmount) }),
});

export const declineBudgetRequest = endpoint("DELETE", "/api/budget_request/:id", {
  access: "user",
  scope: "none",
  summary: "Decline a request, or withdraw an own one",
  params: byId,
});
