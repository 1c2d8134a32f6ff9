import type { BodyIn } from "@tollgate/contract/endpoint.ts";
import { type createToken, type Token, tokenLimitMax, type updateToken } from "@tollgate/contract/tokens.ts";
import * as z from "zod/mini";
import { wholeNumber } from "../../pieces/whole-number.ts";
import { bothIds } from "../../wire.ts";
import {
  addressBlocks,
  expiryFromInput,
  expiryToInput,
  knowsLimits,
  modelNames,
  neverExpires,
  statusAfterEdit,
} from "./token-rules.ts";

type Limits = Pick<Token, keyof typeof tokenLimitMax>;

/** What the form holds: text as typed, so that nothing is changed by being looked at. */
export type TokenFormValues = {
  name: string;
  models: string[];
  subnet: string;
  expired_time: string;
  unlimited_quota: boolean;
  remain_quota: string;
} & Record<keyof Limits, string>;

/** What the schema makes of it. */
export type CheckedToken = Omit<TokenFormValues, "remain_quota" | keyof Limits> & { remain_quota: number } & Limits;

export const newToken: TokenFormValues = {
  name: "",
  models: [],
  subnet: "",
  expired_time: "",
  unlimited_quota: false,
  remain_quota: "500000",
  rpm_limit: "0",
  tpm_limit: "0",
  max_parallel_requests: "0",
};

/** What the form says when it refuses, in the reader's language. */
export type TokenFormWords = { name: string; expiry: string; quota: string; limit: (most: number) => string };

export function tokenFormSchema(words: TokenFormWords): z.ZodMiniType<CheckedToken, TokenFormValues> {
  const limit = (most: number) => wholeNumber(words.limit(most), 0, most);
  return z.object({
    name: z.string().check(z.trim(), z.minLength(1, words.name)),
    models: z.array(z.string()),
    subnet: z.string(),
    expired_time: z.string().check(z.refine((input) => expiryFromInput(input) !== undefined, words.expiry)),
    unlimited_quota: z.boolean(),
    remain_quota: wholeNumber(words.quota),
    rpm_limit: limit(tokenLimitMax.rpm_limit),
    tpm_limit: limit(tokenLimitMax.tpm_limit),
    max_parallel_requests: limit(tokenLimitMax.max_parallel_requests),
  });
}

export function toForm(token: Token): TokenFormValues {
  return {
    name: token.name,
    models: modelNames(token.models),
    subnet: token.subnet ?? "",
    expired_time: expiryToInput(token.expired_time),
    unlimited_quota: token.unlimited_quota,
    // Other servers may let a balance fall below zero; the form cannot save that.
    remain_quota: String(Math.max(0, token.remain_quota)),
    rpm_limit: String(token.rpm_limit ?? 0),
    tpm_limit: String(token.tpm_limit ?? 0),
    max_parallel_requests: String(token.max_parallel_requests ?? 0),
  };
}

export function toCreation(values: CheckedToken): BodyIn<typeof createToken> {
  const given = Object.entries(limitsOf(values)).filter(([, limit]) => limit > 0);
  return {
    ...shared(values),
    ...Object.fromEntries(given),
    expired_time: expiryFromInput(values.expired_time) ?? -1,
  };
}

/** What nobody touched goes back as it came; the quota as a change to the one that was read. */
export function toChange(values: CheckedToken, read: Token, nowSeconds: number): BodyIn<typeof updateToken> {
  const opened = toForm(read);
  const edit = {
    ...shared(values),
    // A never is always -1: servers that take a 0 at its word would end the token.
    expired_time:
      values.expired_time === opened.expired_time && !neverExpires(read.expired_time)
        ? read.expired_time
        : (expiryFromInput(values.expired_time) ?? -1),
    ...(values.subnet === opened.subnet && { subnet: opened.subnet }),
  };
  return {
    ...bothIds(read),
    ...edit,
    ...(knowsLimits(read) && limitsOf(values)),
    status: statusAfterEdit(read.status, edit, nowSeconds),
    remain_quota_read: Math.max(0, read.remain_quota),
    updated_at: read.updated_at,
  };
}

const limitsOf = ({ rpm_limit, tpm_limit, max_parallel_requests }: Limits): Limits => ({
  rpm_limit,
  tpm_limit,
  max_parallel_requests,
});

function shared({ name, models, subnet, unlimited_quota, remain_quota }: CheckedToken) {
  return { name, remain_quota, unlimited_quota, models: models.join(","), subnet: addressBlocks(subnet) };
}
