import type { BodyIn } from "@tollgate/contract/endpoint.ts";
import type { createUser, topUpUser, updateUser } from "@tollgate/contract/user-admin.ts";
import { email, type User } from "@tollgate/contract/users.ts";
import * as z from "zod/mini";
import { wholeNumber } from "../../pieces/whole-number.ts";
import { bothIds } from "../../wire.ts";
import { isUnlimited } from "./user-rules.ts";

/** What the form holds: text as typed. */
export type UserFormValues = {
  username: string;
  display_name: string;
  email: string;
  password: string;
  quota: string;
  group: string;
};

/** What the schema makes of it. */
export type CheckedUser = Omit<UserFormValues, "quota"> & { quota: number };

/** What the forms say when they refuse, in the reader's language. */
export type UserFormWords = {
  usernameMissing: string;
  usernameShort: string;
  email: string;
  passwordShort: string;
  passwordLong: string;
  quota: string;
  group: string;
};

const passwordMin = 6;
const passwordMax = 128;

export const newUser: UserFormValues = {
  username: "",
  display_name: "",
  email: "",
  password: "",
  quota: "0",
  group: "default",
};

type PasswordWords = Pick<UserFormWords, "passwordShort" | "passwordLong">;

const givenPassword = ({ passwordShort, passwordLong }: PasswordWords, isRequired: boolean) =>
  z.string().check(
    z.refine((typed) => typed.length >= passwordMin || (typed === "" && !isRequired), passwordShort),
    z.maxLength(passwordMax, passwordLong),
  );

/** Without a password an edit keeps the one that is set; a new account needs one. */
export function userFormSchema(words: UserFormWords, isNew: boolean): z.ZodMiniType<CheckedUser, UserFormValues> {
  return z.object({
    username: z.string().check(z.trim(), z.minLength(3, words.usernameShort)),
    display_name: z.string().check(z.trim()),
    email: z.string().check(
      z.trim(),
      z.refine((typed) => email.safeParse(typed).success, words.email),
    ),
    password: givenPassword(words, isNew),
    quota: wholeNumber(words.quota),
    group: z.string().check(z.minLength(1, words.group)),
  });
}

export type QuickUser = Pick<UserFormValues, "username" | "password" | "display_name">;

export const quickUserSchema = (words: UserFormWords): z.ZodMiniType<QuickUser, QuickUser> =>
  z.object({
    username: z.string().check(z.trim(), z.minLength(1, words.usernameMissing)),
    password: givenPassword(words, true),
    display_name: z.string().check(z.trim()),
  });

type TopUpValues = { quota: string; remark: string };
export type CheckedTopUp = { quota: number; remark: string };

export const topUpSchema = (message: string): z.ZodMiniType<CheckedTopUp, TopUpValues> =>
  z.object({ quota: wholeNumber(message), remark: z.string().check(z.trim()) });

export function toForm(user: User): UserFormValues {
  const { username, display_name, email, group } = user;
  // An unlimited account's form has no quota to type.
  return { username, display_name, email, group, password: "", quota: isUnlimited(user) ? "0" : String(user.quota) };
}

export const toCreation = (values: CheckedUser): BodyIn<typeof createUser> => values;

/** The quota goes as a change to the one that was read, so that the edit undoes no spending. */
export function toChange({ password, quota, ...rest }: CheckedUser, read: User): BodyIn<typeof updateUser> {
  return {
    ...bothIds(read),
    ...rest,
    ...(password === "" ? {} : { password }),
    ...(isUnlimited(read) ? {} : { quota, quota_read: read.quota }),
    updated_at: read.updated_at,
  };
}

/** Both names of the account: servers differ in which they read. */
export const toTopUp = (values: CheckedTopUp, user: User): BodyIn<typeof topUpUser> => ({
  user_id: user.id,
  ...(user.uuid === undefined ? {} : { user_uuid: user.uuid }),
  ...values,
});
