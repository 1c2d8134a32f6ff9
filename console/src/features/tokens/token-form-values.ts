import type { BodyIn } from "@tollgate/contract/endpoint.ts";
import type { createToken, Token, updateToken } from "@tollgate/contract/tokens.ts";
import * as z from "zod/mini";
import { wholeNumber } from "../../pieces/whole-number.ts";
import { bothIds } from "../../wire.ts";
import {
  addressBlocks,
  expiryFromInput,
  expiryToInput,
  modelNames,
  neverExpires,
  statusAfterEdit,
} from "./token-rules.ts";

/** What the form holds: text as typed, so that nothing is changed by being looked at. */
export type TokenFormValues = {
  name: string;
  models: string[];
  subnet: string;
  expired_time: string;
  unlimited_quota: boolean;
  remain_quota: string;
};

/** What the schema makes of it. */
export type CheckedToken = Omit<TokenFormValues, "remain_quota"> & { remain_quota: number };

export const newToken: TokenFormValues = {
  name: "",
  models: [],
  subnet: "",
  expired_time: "",
  unlimited_quota: false,
  remain_quota: "500000",
};

/** What the form says when it refuses, in the reader's language. */
export type TokenFormWords = { name: string; expiry: string; quota: string };

export function tokenFormSchema(words: TokenFormWords): z.ZodMiniType<CheckedToken, TokenFormValues> {
  return z.object({
    name: z.string().check(z.trim(), z.minLength(1, words.name)),
    models: z.array(z.string()),
    subnet: z.string(),
    expired_time: z.string().check(z.refine((input) => expiryFromInput(input) !== undefined, words.expiry)),
    unlimited_quota: z.boolean(),
    remain_quota: wholeNumber(words.quota),
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
  };
}

export function toCreation(values: CheckedToken): BodyIn<typeof createToken> {
  return { ...shared(values), expired_time: expiryFromInput(values.expired_time) ?? -1 };
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
    status: statusAfterEdit(read.status, edit, nowSeconds),
    remain_quota_read: Math.max(0, read.remain_quota),
    updated_at: read.updated_at,
  };
}

function shared({ name, models, subnet, unlimited_quota, remain_quota }: CheckedToken) {
  return { name, remain_quota, unlimited_quota, models: models.join(","), subnet: addressBlocks(subnet) };
}
