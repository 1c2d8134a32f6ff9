import type { BodyIn } from "@tollgate/contract/endpoint.ts";
import type { createRedemptions, Redemption, updateRedemption } from "@tollgate/contract/redemptions.ts";
import * as z from "zod/mini";
import { wholeNumber } from "../../pieces/whole-number.ts";
import { bothIds } from "../../wire.ts";

/** What the forms hold: text as typed. An edit keeps the count and does not show it. */
export type RedemptionFormValues = { name: string; quota: string; count: string };

/** What the schemas make of it. */
export type CheckedRedemption = { name: string; quota: number; count: number };

/** What the forms say when they refuse, in the reader's language. */
export type RedemptionWords = {
  nameMissing: string;
  nameLong: string;
  /** The form wants a quota; a generated code may pay nothing. */
  quota: string;
  count: string;
  countHigh: string;
};

const nameMax = 20;
const countMax = 100;

export const newRedemption: RedemptionFormValues = { name: "", quota: "500000", count: "1" };

const codeSchema = (words: RedemptionWords, quotaMin: number): z.ZodMiniType<CheckedRedemption, RedemptionFormValues> =>
  z.object({
    name: z.string().check(z.trim(), z.minLength(1, words.nameMissing), z.maxLength(nameMax, words.nameLong)),
    quota: wholeNumber(words.quota, quotaMin),
    count: z.pipe(wholeNumber(words.count, 1), z.number().check(z.maximum(countMax, words.countHigh))),
  });

export const redemptionFormSchema = (words: RedemptionWords) => codeSchema(words, 1);
export const generateSchema = (words: RedemptionWords) => codeSchema(words, 0);

export const toForm = ({ name, quota }: Redemption): RedemptionFormValues => ({
  name,
  quota: String(quota),
  count: newRedemption.count,
});

export const toCreation = (values: CheckedRedemption): BodyIn<typeof createRedemptions> => values;

export const toChange = ({ name, quota }: CheckedRedemption, read: Redemption): BodyIn<typeof updateRedemption> => ({
  ...bothIds(read),
  name,
  quota,
  updated_at: read.updated_at,
});
