import { mailAddress } from "@tollgate/contract/users.ts";
import * as z from "zod/mini";

/** What the forms say when they refuse, in the reader's language. */
export type PasswordWords = { tooShort: string; tooLong: string; confirmation: string; different: string };
export type RegistrationWords = PasswordWords & { username: string; email: string; code: string };

export type NewPasswordValues = { password: string; password2: string };
export type RegistrationValues = NewPasswordValues & {
  username: string;
  email: string;
  verification_code: string;
  invitation_code: string;
};

const passwordMin = 8;
const passwordMax = 128;
const usernameMin = 3;

const passwords = (words: PasswordWords) => ({
  password: z.string().check(z.minLength(passwordMin, words.tooShort), z.maxLength(passwordMax, words.tooLong)),
  password2: z.string().check(z.minLength(passwordMin, words.confirmation)),
});
const isSame = ({ password, password2 }: NewPasswordValues) => password === password2;
const same = (words: PasswordWords) =>
  z.refine<NewPasswordValues>(isSame, { path: ["password2"], error: words.different });

export const newPasswordSchema = (words: PasswordWords): z.ZodMiniType<NewPasswordValues, NewPasswordValues> =>
  z.object(passwords(words)).check(same(words));

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
      ...passwords(words),
      email: mailSchema(words.email).shape.email,
      verification_code: z.string().check(z.trim(), z.minLength(needsCode ? 1 : 0, words.code)),
      invitation_code: z.string().check(z.trim()),
    })
    .check(same(words));

/** Good enough to send a code to; whether it is an address, the server decides. */
export const looksLikeAddress = (typed: string): boolean => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(typed.trim());
