/** Rows of budgets, of their templates, and of what was spent in their windows. */

import type { BudgetRequestStatus } from "@tollgate/contract/accounts/budget-grants.ts";
import type {
  BudgetMeasure,
  BudgetReaction,
  BudgetSubject,
  BudgetWindow,
} from "@tollgate/contract/accounts/budget-kinds.ts";
import type { TemplateSubject } from "@tollgate/contract/accounts/budget-templates.ts";
import type { Generated } from "kysely";
import type { Flag, Millis, QuotaUnits } from "./column-types.ts";

/** `BudgetTerms` are what a budget and the template that it follows state alike. */
interface BudgetTerms {
  id: Generated<number>;
  uuid: string;
  name: string;
  note: Generated<string>;
  /** Comma-joined names of the models whose calls it counts alone; empty for all. */
  models: Generated<string>;
  window: BudgetWindow;
  /**
   * Day of the week (1 is Monday) or of the month on which a window begins; 1 for other windows.
   */
  first_day: number;
  /** The date from which windows of `days:N` are counted; empty for others. */
  anchor: Generated<string>;
  zone: string;
  amount: QuotaUnits;
  /** A hard budget refuses calls, a soft one counts them. */
  hard: Flag;
  on_reached: BudgetReaction;
  /** Comma-joined percentages, ascending. */
  thresholds: string;
  enabled: Flag;
  /** `external_id` goes by which a configuration file finds it. */
  external_id: Generated<string | null>;
  /** The configuration file that manages it; empty for none. */
  managed_by: Generated<string>;
  created_at: Millis;
  updated_at: Millis;
}

export interface BudgetTemplatesTable extends BudgetTerms {
  /** `subject` is `member` for the caps of a team. */
  subject: TemplateSubject | "member";
  /** `group_name` is of the account, or of the account of the API key; empty for every group. */
  group_name: string;
  /** The team whose members it caps; 0 for templates of the site. */
  team_id: Generated<number>;
}

export interface BudgetsTable extends BudgetTerms {
  subject: BudgetSubject;
  /** `subject_id` names the user, token, team, membership or channel; 0 for others. */
  subject_id: number;
  /** Empty unless the subject is a model. */
  model_name: string;
  /** `key=value` or `key=*`; empty unless the subject is a tag. */
  tag: string;
  /**
   * The template that it follows; null once it was changed by itself, and where it never had one.
   */
  template_id: Generated<number | null>;
  /** The cap of a team that gave it, whether it follows or not; null for others. */
  cap_id: Generated<number | null>;
  /** The start of the latest window in which it has paused keys; 0 where the present one may. */
  pauses_after: Generated<Millis>;
  /** Set by the owner of the token as its spending limit: the owner may change it. */
  by_owner: Flag;
  /**
   * `measure` says what it counts: units, calls, or milliseconds, of which the API tells minutes.
   */
  measure: Generated<BudgetMeasure>;
  /** The budget of a user counts the user's keys of teams too. */
  counts_team_keys: Generated<Flag>;
  /** The sign-in provider whose rules gave the budget of a member; empty for none. */
  by_provider: Generated<string>;
  /**
   * Calls that begin before count for nothing: when it was made, or when its window or zone was
   * changed.
   */
  counts_from: Millis;
}

/**
 * `BudgetCounterRow` is one window of one budget, for each part of its subject that it counts by
 * itself. A new window is a new row; nothing is ever reset.
 */
export interface BudgetCounterRow {
  budget_id: number;
  window_start: Millis;
  /** The first moment after it; null for a window without an end. */
  window_end: Millis | null;
  /**
   * `part` names the part of the subject that it counts by itself, such as a run; empty for all of
   * it.
   */
  part: Generated<string>;
  spent: Generated<QuotaUnits>;
  /** The sum of the running calls' holds. */
  held: Generated<QuotaUnits>;
  /** `calls` hold those that cost something. */
  calls: Generated<number>;
  /** `granted` is what was added to the amount of the budget for this window alone. */
  granted: Generated<QuotaUnits>;
}

/** `BudgetRequestRow` is what someone asks of a budget for one window; the latest for each of them. */
export interface BudgetRequestRow {
  id: number;
  budget_id: number;
  user_id: number;
  window_start: Millis;
  window_end: Millis | null;
  /** As the row of the budget counts it. */
  amount: QuotaUnits;
  reason: string;
  status: BudgetRequestStatus;
  granted: Generated<QuotaUnits>;
  created_at: Millis;
}
