import { mailAddress } from "@tollgate/contract/users.ts";
import * as z from "zod/mini";
import {
  type NewPasswordValues,
  type PasswordMessages,
  passwordPair,
  samePasswords,
} from "../../components/new-password-schema.ts";

export type RegistrationMessages = PasswordMessages & { username: string; email: string; code: string };
export type RegistrationValues = NewPasswordValues & {
  username: string;
  email: string;
  verification_code: string;
  invitation_code: string;
};

const usernameMin = 3;

export const emailSchema = (message: string) =>
  z.object({
    email: z.string().check(
      z.trim(),
      z.refine((typed) => mailAddress.safeParse(typed).success, message),
    ),
  });

/** The code is asked for unless the server says that it mails none. */
export const registrationSchema = (
  messages: RegistrationMessages,
  needsCode: boolean,
): z.ZodMiniType<RegistrationValues, RegistrationValues> =>
  z
    .object({
      username: z.string().check(z.trim(), z.minLength(usernameMin, messages.username)),
      ...passwordPair(messages),
      email: emailSchema(messages.email).shape.email,
      verification_code: z.string().check(z.trim(), z.minLength(needsCode ? 1 : 0, messages.code)),
      invitation_code: z.string().check(z.trim()),
    })
    .check(samePasswords(messages));

/** Good enough to send a code to; whether it is an address, the server decides. */
export const looksLikeEmail = (typed: string): boolean => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(typed.trim());
