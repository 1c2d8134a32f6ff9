import type {
  createRedemptions,
  Redemption,
  updateRedemption,
} from "@tollgate/contract/accounts/redemptions.ts";
import type { BodyIn } from "@tollgate/contract/api/endpoint.ts";
import * as z from "zod/mini";
import { buildEntityIds } from "../../compat/entity-ids.ts";
import { defineWholeNumber, numberText } from "../../components/forms/whole-number.ts";

/** Form values: text as typed. An edit hides the count. */
export type RedemptionFormValues = { name: string; quota: string; count: string };

/** The values after validation. */
export type RedemptionFormOutput = { name: string; quota: number; count: number };

/** The translated validation messages. */
export type RedemptionFormMessages = {
  nameMissing: string;
  nameLong: string;
  /** The form requires a quota of at least 1; the dialog accepts 0. */
  quota: string;
  count: string;
  countHigh: string;
};

const nameMax = 20;
const countMax = 100;

export const newRedemption: RedemptionFormValues = { name: "", quota: "500000", count: "1" };

const defineCodeSchema = (
  messages: RedemptionFormMessages,
  quotaMin: number,
): z.ZodMiniType<RedemptionFormOutput, RedemptionFormValues> =>
  z.object({
    name: z
      .string()
      .check(
        z.trim(),
        z.minLength(1, messages.nameMissing),
        z.maxLength(nameMax, messages.nameLong),
      ),
    quota: defineWholeNumber(messages.quota, quotaMin),
    count: z.pipe(
      defineWholeNumber(messages.count, 1),
      z.number().check(z.maximum(countMax, messages.countHigh)),
    ),
  });

export const defineRedemptionFormSchema = (messages: RedemptionFormMessages) =>
  defineCodeSchema(messages, 1);
export const generateSchema = (messages: RedemptionFormMessages) => defineCodeSchema(messages, 0);

export const buildRedemptionForm = ({ name, quota }: Redemption): RedemptionFormValues => ({
  name,
  quota: numberText(quota),
  count: newRedemption.count,
});

export const buildRedemptionCreate = (
  values: RedemptionFormOutput,
): BodyIn<typeof createRedemptions> => values;

export const buildRedemptionUpdate = (
  { name, quota }: RedemptionFormOutput,
  read: Redemption,
): BodyIn<typeof updateRedemption> => ({
  ...buildEntityIds(read),
  name,
  quota,
  updated_at: read.updated_at,
});
