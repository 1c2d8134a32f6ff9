import { mailAddress } from "@tollgate/contract/users.ts";
import * as z from "zod/mini";
import {
  type NewPasswordValues,
  type PasswordWords,
  passwordPair,
  samePasswords,
} from "../../pieces/new-password-schema.ts";

export type RegistrationWords = PasswordWords & { username: string; email: string; code: string };
export type RegistrationValues = NewPasswordValues & {
  username: string;
  email: string;
  verification_code: string;
  invitation_code: string;
};

const usernameMin = 3;

export const mailSchema = (message: string) =>
  z.object({
    email: z.string().check(
      z.trim(),
      z.refine((typed) => mailAddress.safeParse(typed).success, message),
    ),
  });

/** The code is asked for unless the server says that it mails none. */
export const registrationSchema = (
  words: RegistrationWords,
  needsCode: boolean,
): z.ZodMiniType<RegistrationValues, RegistrationValues> =>
  z
    .object({
      username: z.string().check(z.trim(), z.minLength(usernameMin, words.username)),
      ...passwordPair(words),
      email: mailSchema(words.email).shape.email,
      verification_code: z.string().check(z.trim(), z.minLength(needsCode ? 1 : 0, words.code)),
      invitation_code: z.string().check(z.trim()),
    })
    .check(samePasswords(words));

/** Good enough to send a code to; whether it is an address, the server decides. */
export const looksLikeAddress = (typed: string): boolean => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(typed.trim());
