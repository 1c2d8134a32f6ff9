/** Spending in equal steps of time, by model, user, API key or channel. Days and hours are UTC. */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { makeAboutField } from "../api/field-message.ts";
import { getDashboard } from "./dashboard.ts";

export const spendingGroups = ["model", "user", "key", "channel"] as const;
export type SpendingGroup = (typeof spendingGroups)[number];

export const spendingUnits = ["hour", "day"] as const;
export type SpendingUnit = (typeof spendingUnits)[number];
export const spendingUnitSeconds = { hour: 3_600, day: 86_400 } as const satisfies Record<
  SpendingUnit,
  number
>;

/** `stepAmounts` has one number for each step. */
const stepAmounts = {
  quota: z.array(z.int()),
  requests: z.array(z.int()),
  tokens: z.array(z.int()),
};
const amounts = z.object({ quota: z.int(), requests: z.int(), tokens: z.int() });

export const spending = z.object({
  /** `hour` for at most two days, where the calls of an account are not too many to be added up. */
  unit: z.enum(spendingUnits),
  /** Unix seconds at which the first step begins. */
  first: z.int(),
  /** Unix seconds until which calls are counted: a step that ends later is unfinished. */
  until: z.int(),
  /**
   * The largest come first. The last may have neither id nor name: it is what the others leave.
   * User 0 without a name are the services of a team.
   */
  series: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      /** The user whose key it is; empty otherwise. */
      owner: z.string(),
      ...stepAmounts,
      /**
       * The finished steps as they were one range before; null where the caller may not read that
       * far back.
       */
      earlier: z.nullable(amounts),
    }),
  ),
  /**
   * The sums of all, one range before, step by step; null where the caller may not read that far
   * back.
   */
  earlier: z.nullable(z.object(stepAmounts)),
});
export type Spending = z.output<typeof spending>;
export type SpendingSeries = Spending["series"][number];
export type SpendingAmounts = z.output<typeof amounts>;
export type StepAmounts = Record<keyof SpendingAmounts, number[]>;

export const getSpending = endpoint("GET", "/api/user/dashboard/spending", {
  access: "user",
  scope: "usage:read",
  inTeam: true,
  summary:
    "Spending by hour or day and by model or API key; of a team also by user, of all users by user or channel",
  query: z.extend(getDashboard.query, {
    by: z._default(
      z.enum(spendingGroups, makeAboutField(`must be ${spendingGroups.join(", ")}`)),
      "model",
    ),
  }),
  data: spending,
});
