import { mailAddress } from "@tollgate/contract/accounts/users.ts";
import * as z from "zod/mini";
import {
  definePasswordPair,
  defineSamePasswords,
  type NewPasswordValues,
  type PasswordMessages,
} from "../../components/forms/new-password-schema.ts";

export type RegistrationMessages = PasswordMessages & {
  username: string;
  email: string;
  code: string;
};
export type RegistrationValues = NewPasswordValues & {
  username: string;
  email: string;
  verification_code: string;
  invitation_code: string;
};

const usernameMin = 3;

export const defineEmailSchema = (message: string) =>
  z.object({
    email: z.string().check(
      z.trim(),
      z.refine((typed) => mailAddress.safeParse(typed).success, message),
    ),
  });

/** The verification code is required unless the server does not verify addresses. */
export const defineRegistrationSchema = (
  messages: RegistrationMessages,
  needsCode: boolean,
): z.ZodMiniType<RegistrationValues, RegistrationValues> =>
  z
    .object({
      username: z.string().check(z.trim(), z.minLength(usernameMin, messages.username)),
      ...definePasswordPair(messages),
      email: defineEmailSchema(messages.email).shape.email,
      verification_code: z.string().check(z.trim(), z.minLength(needsCode ? 1 : 0, messages.code)),
      invitation_code: z.string().check(z.trim()),
    })
    .check(defineSamePasswords(messages));

/** A rough check before sending a code; the server validates the address. */
export const looksLikeEmail = (typed: string): boolean =>
  /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(typed.trim());
