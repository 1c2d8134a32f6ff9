import type { BodyIn } from "@tollgate/contract/endpoint.ts";
import type { createRedemptions, Redemption, updateRedemption } from "@tollgate/contract/redemptions.ts";
import * as z from "zod/mini";
import { entityIds } from "../../compat/entity-ids.ts";
import { numberText, wholeNumber } from "../../components/whole-number.ts";

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

const codeSchema = (
  messages: RedemptionFormMessages,
  quotaMin: number,
): z.ZodMiniType<RedemptionFormOutput, RedemptionFormValues> =>
  z.object({
    name: z.string().check(z.trim(), z.minLength(1, messages.nameMissing), z.maxLength(nameMax, messages.nameLong)),
    quota: wholeNumber(messages.quota, quotaMin),
    count: z.pipe(wholeNumber(messages.count, 1), z.number().check(z.maximum(countMax, messages.countHigh))),
  });

export const redemptionFormSchema = (messages: RedemptionFormMessages) => codeSchema(messages, 1);
export const generateSchema = (messages: RedemptionFormMessages) => codeSchema(messages, 0);

export const toRedemptionForm = ({ name, quota }: Redemption): RedemptionFormValues => ({
  name,
  quota: numberText(quota),
  count: newRedemption.count,
});

export const toRedemptionCreate = (values: RedemptionFormOutput): BodyIn<typeof createRedemptions> => values;

export const toRedemptionUpdate = (
  { name, quota }: RedemptionFormOutput,
  read: Redemption,
): BodyIn<typeof updateRedemption> => ({
  ...entityIds(read),
  name,
  quota,
  updated_at: read.updated_at,
});
