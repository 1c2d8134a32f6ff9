import { email } from "@tollgate/contract/users.ts";
import * as z from "zod/mini";

/** What the forms say when they refuse, in the reader's language. */
export type PasswordWords = { tooShort: string; tooLong: string; confirmation: string; different: string };
export type ProfileWords = { usernameMissing: string; usernameTooShort: string };

export type NewPasswordValues = { password: string; password2: string };
export type ProfileValues = { username: string; display_name: string; email: string };

const lengthMin = 8;
const lengthMax = 128;

const isSame = ({ password, password2 }: NewPasswordValues) => password === password2;

export const profileSchema = (words: ProfileWords): z.ZodMiniType<ProfileValues, ProfileValues> =>
  z.object({
    username: z.string().check(z.trim(), z.minLength(1, words.usernameMissing), z.minLength(3, words.usernameTooShort)),
    display_name: z.string(),
    email,
  });

export function newPasswordSchema(words: PasswordWords): z.ZodMiniType<NewPasswordValues, NewPasswordValues> {
  return z
    .object({
      password: z.string().check(z.minLength(lengthMin, words.tooShort), z.maxLength(lengthMax, words.tooLong)),
      password2: z.string().check(z.minLength(lengthMin, words.confirmation)),
    })
    .check(z.refine(isSame, { path: ["password2"], error: words.different }));
}
