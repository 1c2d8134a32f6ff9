import { email } from "@tollgate/contract/users.ts";
import * as z from "zod/mini";

/** What the forms say when they refuse, in the reader's language. */
export type PasswordWords = { tooShort: string; tooLong: string; confirmation: string; different: string };
export type ProfileWords = PasswordWords & { usernameMissing: string; usernameTooShort: string };

export type NewPasswordValues = { password: string; password2: string };
export type ProfileValues = NewPasswordValues & { username: string; display_name: string; email: string };

const lengthMin = 8;
const lengthMax = 128;

const password = (words: PasswordWords) =>
  z.string().check(z.minLength(lengthMin, words.tooShort), z.maxLength(lengthMax, words.tooLong));

const isSame = ({ password, password2 }: NewPasswordValues) => password === password2;

/** An empty password keeps the one that is set. */
export function profileSchema(words: ProfileWords): z.ZodMiniType<ProfileValues, ProfileValues> {
  return z
    .object({
      username: z
        .string()
        .check(z.trim(), z.minLength(1, words.usernameMissing), z.minLength(3, words.usernameTooShort)),
      display_name: z.string(),
      email,
      password: z.string().check(
        z.refine((typed) => typed === "" || typed.length >= lengthMin, words.tooShort),
        z.maxLength(lengthMax, words.tooLong),
      ),
      password2: z.string(),
    })
    .check(z.refine(isSame, { path: ["password2"], error: words.different }));
}

export function newPasswordSchema(words: PasswordWords): z.ZodMiniType<NewPasswordValues, NewPasswordValues> {
  return z
    .object({
      password: password(words),
      password2: z.string().check(z.minLength(lengthMin, words.confirmation)),
    })
    .check(z.refine(isSame, { path: ["password2"], error: words.different }));
}
