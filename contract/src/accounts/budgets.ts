/**
 * Budgets: what a subject may spend in each window of time. There is no reset: each window has a
 * counter of its own, and a call counts in the window in which it began.
 */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { makeAboutField } from "../api/field-message.ts";
import { bodyReference, byId, entityId, isNamed, namedExplanation, reference } from "../api/ids.ts";
import { listExtras, pageFields } from "../api/page.ts";
import { line, queryInteger, quotaMax, quotaUnits, unixMillis, utcDay } from "../api/scalars.ts";
import {
  type BudgetWindow,
  budgetMeasures,
  budgetReaction,
  budgetSubjects,
  budgetWindow,
  firstDayMax,
  runSubjects,
  subjectMembers,
} from "./budget-kinds.ts";
import { byExternalId, externalIdFilter, externalIdOrNone } from "./external-ids.ts";
import { singleTag } from "./tags.ts";

/** Each call of the subject counts in all of them. */
export const budgetsPerSubjectMax = 8;
const thresholdsMax = 5;
const modelsMax = 50;
const zoneMax = 64;

export const budgetAmount = z
  .int()
  .check(
    z.minimum(1, makeAboutField("must be more than 0")),
    z.maximum(quotaMax, makeAboutField(`must be at most ${quotaMax}`)),
  );
/** Percentages of the amount. */
const thresholds = z
  .array(z.int().check(z.minimum(1), z.maximum(100)))
  .check(
    z.maxLength(thresholdsMax, makeAboutField(`must be at most ${thresholdsMax} percentages`)),
  );
const firstDay = z.int().check(z.minimum(1), z.maximum(firstDayMax.month));
/** `2026-11-02`, from which the windows of `days:N` are counted, before it too. */
const anchor = utcDay;
/**
 * `models` hold those that the budget counts, by the name that the client asked for or the target
 * that served; empty: all.
 */
const models = z
  .array(
    line(100).check(z.regex(/^[^,]+$/, makeAboutField("must be names of models, without commas"))),
  )
  .check(z.maxLength(modelsMax, makeAboutField(`must be at most ${modelsMax} models`)));
/** `note` is what administrators say of it among themselves. */
const note = line(500);
/** A name of the IANA time zone database. */
export const zoneName = z.string().check(z.minLength(1), z.maxLength(zoneMax));
const name = line(60).check(z.minLength(1, "Name is required"));

/** Units are quota units, or what its measure says. */
export const budget = z.object({
  id: z.int(),
  uuid: z.string(),
  /** The name that a program gave it; empty for none. */
  external_id: z.string(),
  name: z.string(),
  subject: z.enum(budgetSubjects),
  /** `subject_id` names the user, token, team, membership or channel; 0 otherwise. */
  subject_id: z.int(),
  /**
   * The username, the name of the token, team or channel, the model, or the tag as `team=search`;
   * empty for the site, and for what was deleted.
   */
  subject_name: z.string(),
  /** The models whose calls it counts alone; empty for all. */
  models: z.array(z.string()),
  /** Empty for those who do not manage it. */
  note: z.string(),
  window: budgetWindow,
  first_day: z.int(),
  /** Empty unless the window is counted in days. */
  anchor: z.string(),
  zone: z.string(),
  measure: z.enum(budgetMeasures),
  /** `amount` is in the measure, as `spent`, `held` and `exceeded` are. */
  amount: z.int(),
  hard: z.boolean(),
  on_reached: budgetReaction,
  thresholds: z.array(z.int()),
  enabled: z.boolean(),
  /**
   * The budget template that it follows: it changes with the template, until it is changed by
   * itself. Null for none.
   */
  template_id: z.nullable(z.int()),
  /** Set by the owner of the key as its spending limit. */
  by_owner: z.boolean(),
  /** The budget of a user counts the user's keys of teams too. */
  counts_team_keys: z.boolean(),
  /** The configuration file that manages it; empty for none. */
  managed_by: z.string(),
  /**
   * `window_start` and the members after it are of the current window alone. Of a channel, `spent`
   * and `held` are the costs that the operator pays where they are known.
   */
  window_start: unixMillis,
  /** `resets_at` is when the next window begins; null for a lifetime. */
  resets_at: z.nullable(unixMillis),
  spent: z.int(),
  /** `granted` was added to the amount for this window alone. */
  granted: z.int(),
  /** `held` goes by running calls. */
  held: z.int(),
  /**
   * `exceeded` is what charges exceeded the amount and what was granted by: a charge may exceed the
   * hold of its call, and calls that go to another model are not refused.
   */
  exceeded: z.int(),
  /** The highest threshold that was reached, in per cent of the amount; 0 before the first. */
  reached: z.int(),
  /**
   * If the rest of the window is like the last four weeks, or like the window so far where there
   * are fewer; null before a tenth of the window or 20 calls, and where a window has no end.
   */
  forecast: z.nullable(
    z.object({
      /** `spent` goes by the end of the window. */
      spent: z.int(),
      /** Null where the amount is used up already, or is not by then. */
      used_up_at: z.nullable(unixMillis),
    }),
  ),
  created_at: unixMillis,
  updated_at: unixMillis,
});
export type Budget = z.output<typeof budget>;
export type BudgetForecast = Budget["forecast"];

/** `budgetSettings` are what the maker of a budget, or of a template for budgets, decides. */
export const budgetSettings = {
  name,
  note: z._default(note, ""),
  models: z._default(models, []),
  window: budgetWindow,
  /** `first_day` is that of a week (1 is Monday) or month; in a shorter month, its last day. */
  first_day: z._default(firstDay, 1),
  /** `anchor` is that of `days:N`: today in the zone when it is left out. */
  anchor: z.optional(anchor),
  /** The site's (setting `BudgetTimeZone`) when it is left out. */
  zone: z.optional(zoneName),
  amount: budgetAmount,
  hard: z._default(z.boolean(), true),
  thresholds: z._default(thresholds, [80, 100]),
  enabled: z._default(z.boolean(), true),
  /**
   * `on_reached` says what becomes of calls that a hard budget does not cover. `pause` is for users
   * and tokens alone: their keys stay paused until they are resumed. `ask` is for users, tokens,
   * teams and members: whom it limits may ask for more in this window. `model:NAME` sends calls to
   * that model, whose calls the budget counts and does not refuse.
   */
  on_reached: z._default(budgetReaction, "refuse"),
};

const termsInput = z.object(budgetSettings);
export type BudgetTermsInput = z.output<typeof termsInput>;

const needsDayOfWeek = ({
  window,
  first_day,
}: {
  window?: BudgetWindow | undefined;
  first_day?: number | undefined;
}) => window !== "week" || first_day === undefined || first_day <= firstDayMax.week;
export const dayOfWeekCheck = z.refine<Parameters<typeof needsDayOfWeek>[0]>(needsDayOfWeek, {
  ...makeAboutField("of a week must be 1 to 7"),
  path: ["first_day"],
});

/** Said of `measure`. */
export const measuresAreOf = "can be calls or minutes in budgets of runs alone";
/** Said of `models`. */
export const modelsAreFor = "is for budgets of other subjects than a model";
/** Said of `counts_team_keys`. */
export const countsTeamKeysOf = "is for the budget of a user alone";

const namedSubject = {
  /** `subject_id` names the user, token, team, membership or channel. */
  subject_id: z.optional(entityId),
  model: z.optional(line(100).check(z.minLength(1))),
  /** `team=search`, or `team=*` for every value of the key that has no budget of its own. */
  tag: z.optional(singleTag),
};

export const budgetInput = z
  .object({
    external_id: externalIdOrNone,
    subject: z.enum(budgetSubjects),
    ...namedSubject,
    ...budgetSettings,
    /** `measure` is of a budget of runs. It never changes. */
    measure: z._default(z.enum(budgetMeasures), "quota"),
    /** The budget of a user: whether it counts the user's keys of teams too. */
    counts_team_keys: z._default(z.boolean(), false),
  })
  .check(
    dayOfWeekCheck,
    z.refine(({ subject, measure }) => measure === "quota" || runSubjects.includes(subject), {
      ...makeAboutField(measuresAreOf),
      path: ["measure"],
    }),
    z.refine(({ subject, counts_team_keys }) => subject === "user" || !counts_team_keys, {
      ...makeAboutField(countsTeamKeysOf),
      path: ["counts_team_keys"],
    }),
    z.refine(
      ({ subject, subject_id }) =>
        (subjectMembers[subject] === "subject_id") === (subject_id !== undefined),
      {
        ...makeAboutField("names the user, token, team, membership or channel of the budget"),
        path: ["subject_id"],
      },
    ),
    z.refine(
      ({ subject, model }) => (subjectMembers[subject] === "model") === (model !== undefined),
      {
        ...makeAboutField("names the model of the budget"),
        path: ["model"],
      },
    ),
    z.refine(({ subject, tag }) => (subjectMembers[subject] === "tag") === (tag !== undefined), {
      ...makeAboutField("names the tag of the budget, such as team=search"),
      path: ["tag"],
    }),
    z.refine(({ subject, models }) => subject !== "model" || models.length === 0, {
      ...makeAboutField(modelsAreFor),
      path: ["models"],
    }),
  );
export type BudgetInput = z.output<typeof budgetInput>;

export const changeableSettings = {
  name: z.optional(name),
  note: z.optional(note),
  models: z.optional(models),
  window: z.optional(budgetWindow),
  first_day: z.optional(firstDay),
  anchor: z.optional(anchor),
  zone: z.optional(zoneName),
  amount: z.optional(budgetAmount),
  hard: z.optional(z.boolean()),
  thresholds: z.optional(thresholds),
  enabled: z.optional(z.boolean()),
  on_reached: z.optional(budgetReaction),
};

const countingTeams = { counts_team_keys: z.optional(z.boolean()) };

/**
 * `budgetByExternalId` asks only the first request for the members that a new one needs. The
 * subject of a budget never changes.
 */
export const budgetByExternalId = z
  .object({
    subject: z.optional(z.enum(budgetSubjects)),
    measure: z.optional(z.enum(budgetMeasures)),
    ...namedSubject,
    ...changeableSettings,
    ...countingTeams,
  })
  .check(dayOfWeekCheck);
export type BudgetByExternalId = z.output<typeof budgetByExternalId>;

const termsChange = {
  ...bodyReference,
  ...changeableSettings,
  /** Empty: the budget belongs to its configuration file no longer. */
  managed_by: z.optional(z.literal("")),
  /** The version that the form read; refused when it is older than the stored one. */
  updated_at: z.optional(unixMillis),
};

/**
 * `budgetTermsChange` is that of a budget template, and a part of that of a budget. A missing
 * member keeps its value.
 */
export const budgetTermsChange = z
  .object(termsChange)
  .check(z.refine(isNamed, namedExplanation), dayOfWeekCheck);
export type BudgetTermsChange = z.output<typeof budgetTermsChange>;

/**
 * A changed window, first day, anchor, zone, list of models or `counts_team_keys` begins a new
 * counter.
 */
export const budgetChange = z
  .object({ ...termsChange, ...countingTeams })
  .check(z.refine(isNamed, namedExplanation), dayOfWeekCheck);
export type BudgetChange = z.output<typeof budgetChange>;

export const listBudgets = endpoint("GET", "/api/budget/", {
  access: "admin",
  scope: "budgets:read",
  summary: "Budgets with what is spent and held in their current windows",
  query: z.object({
    ...pageFields,
    subject: z.optional(z.enum(budgetSubjects)),
    subject_id: z.optional(reference),
    ...externalIdFilter,
  }),
  data: z.array(budget),
  extras: listExtras,
});

export const listOwnBudgets = endpoint("GET", "/api/budget/self", {
  access: "user",
  scope: "tokens:read",
  summary: "The budgets of the caller and of the caller's API keys",
  query: z.object({
    ...pageFields,
    /** The budgets of this API key alone. */
    token_id: z.optional(queryInteger(1, Number.MAX_SAFE_INTEGER)),
  }),
  data: z.array(budget),
  extras: listExtras,
});

/** The windows of a key's own spending limit. */
export const spendingLimitWindows = [
  "day",
  "week",
  "month",
] as const satisfies readonly BudgetWindow[];

export const spendingLimitInput = z.object({
  /** 0 removes the limit. */
  amount: quotaUnits,
  window: z.enum(spendingLimitWindows),
  /**
   * The site's (setting `BudgetTimeZone`) for a new limit, and that of the limit otherwise, when it
   * is left out.
   */
  zone: z.optional(zoneName),
});
export type SpendingLimitInput = z.output<typeof spendingLimitInput>;

export const setSpendingLimit = endpoint("PUT", "/api/token/:id/spending_limit", {
  access: "user",
  scope: "tokens:write",
  summary:
    "What one of the caller's API keys may spend in a day, week or month; 0 removes the limit",
  params: byId,
  body: spendingLimitInput,
  data: z.nullable(budget),
});

export const getBudget = endpoint("GET", "/api/budget/:id", {
  access: "admin",
  scope: "budgets:read",
  summary: "One budget",
  params: byId,
  data: budget,
});

export const createBudget = endpoint("POST", "/api/budget/", {
  access: "admin",
  scope: "budgets:write",
  summary: "Create a budget; it counts from now on",
  body: budgetInput,
  data: budget,
});

export const updateBudget = endpoint("PUT", "/api/budget/", {
  access: "admin",
  scope: "budgets:write",
  summary:
    "Change a budget; the next call obeys it. A changed window, first day, anchor, zone or list of models begins a new counter",
  body: budgetChange,
  data: budget,
});

export const putBudget = endpoint("PUT", "/api/budget/by-external/:external_id", {
  access: "admin",
  scope: "budgets:write",
  summary: "Create the budget of this external_id, or change it; a repetition changes nothing",
  params: byExternalId,
  body: budgetByExternalId,
  data: budget,
});

export const deleteBudget = endpoint("DELETE", "/api/budget/:id", {
  access: "admin",
  scope: "budgets:write",
  summary: "Delete a budget; what was counted is kept for 400 days",
  params: byId,
});
