import type { createUser, topUpUser, updateUser } from "@tollgate/contract/accounts/user-admin.ts";
import { email, type User } from "@tollgate/contract/accounts/users.ts";
import type { BodyIn } from "@tollgate/contract/api/endpoint.ts";
import * as z from "zod/mini";
import { buildEntityIds } from "../../compat/entity-ids.ts";
import { isUnlimited } from "../../compat/user-compat.ts";
import { defineWholeNumber, numberText } from "../../components/forms/whole-number.ts";

/** Form values: text as typed. */
export type UserFormValues = {
  username: string;
  display_name: string;
  email: string;
  password: string;
  quota: string;
  group: string;
  /** An auditor; only administrators can be one, and only root says so. */
  read_only: boolean;
};

/** The values after validation. */
export type UserFormOutput = Omit<UserFormValues, "quota"> & { quota: number };

/** The translated validation messages. */
export type UserFormMessages = {
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
  read_only: false,
};

type UserPasswordMessages = Pick<UserFormMessages, "passwordShort" | "passwordLong">;

const definePasswordField = (
  { passwordShort, passwordLong }: UserPasswordMessages,
  isRequired: boolean,
) =>
  z.string().check(
    z.refine(
      (typed) => typed.length >= passwordMin || (typed === "" && !isRequired),
      passwordShort,
    ),
    z.maxLength(passwordMax, passwordLong),
  );

/** An edit with an empty password keeps the current one; a new account requires one. */
export function defineUserFormSchema(
  messages: UserFormMessages,
  isNew: boolean,
): z.ZodMiniType<UserFormOutput, UserFormValues> {
  return z.object({
    username: z.string().check(z.trim(), z.minLength(3, messages.usernameShort)),
    display_name: z.string().check(z.trim()),
    email: z.string().check(
      z.trim(),
      z.refine((typed) => email.safeParse(typed).success, messages.email),
    ),
    password: definePasswordField(messages, isNew),
    quota: defineWholeNumber(messages.quota),
    group: z.string().check(z.minLength(1, messages.group)),
    read_only: z.boolean(),
  });
}

export type QuickUserForm = Pick<UserFormValues, "username" | "password" | "display_name">;

export const defineQuickUserSchema = (
  messages: UserFormMessages,
): z.ZodMiniType<QuickUserForm, QuickUserForm> =>
  z.object({
    username: z.string().check(z.trim(), z.minLength(1, messages.usernameMissing)),
    password: definePasswordField(messages, true),
    display_name: z.string().check(z.trim()),
  });

type TopUpFormValues = { quota: string; remark: string };
export type TopUpFormOutput = { quota: number; remark: string };

export const defineTopUpSchema = (
  message: string,
): z.ZodMiniType<TopUpFormOutput, TopUpFormValues> =>
  z.object({ quota: defineWholeNumber(message), remark: z.string().check(z.trim()) });

export function buildUserForm(user: User): UserFormValues {
  const { username, display_name, email, group } = user;
  // The form of an unlimited account has no quota field.
  return {
    username,
    display_name,
    email,
    group,
    password: "",
    read_only: user.read_only === true,
    quota: isUnlimited(user) ? "0" : numberText(user.quota),
  };
}

export const buildUserCreate = ({
  read_only: _,
  ...values
}: UserFormOutput): BodyIn<typeof createUser> => values;

/**
 * Sends the quota together with the one that was read: the gateway applies the difference, so that
 * the edit undoes no spending.
 */
export function buildUserUpdate(
  { password, quota, read_only, ...rest }: UserFormOutput,
  read: User,
): BodyIn<typeof updateUser> {
  return {
    ...buildEntityIds(read),
    ...rest,
    ...(password === "" ? {} : { password }),
    // A server that sends none knows no auditors.
    ...(read.read_only !== undefined && read.read_only !== read_only && { read_only }),
    ...(isUnlimited(read) ? {} : { quota, quota_read: read.quota }),
    updated_at: read.updated_at,
  };
}

/** Both ids of the account: compatible servers differ in which one they read. */
export const buildTopUpBody = (values: TopUpFormOutput, user: User): BodyIn<typeof topUpUser> => ({
  user_id: user.id,
  ...(user.uuid === undefined ? {} : { user_uuid: user.uuid }),
  ...values,
});
