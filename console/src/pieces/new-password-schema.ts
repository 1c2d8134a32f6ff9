import * as z from "zod/mini";

/** What a form says when it refuses, in the reader's language. */
export type PasswordWords = { tooShort: string; tooLong: string; confirmation: string; different: string };
export type NewPasswordValues = { password: string; password2: string };

const lengthMin = 8;
const lengthMax = 128;

/** For forms that ask for more than the password: the two fields, and the check that they agree. */
export const passwordPair = (words: PasswordWords) => ({
  password: z.string().check(z.minLength(lengthMin, words.tooShort), z.maxLength(lengthMax, words.tooLong)),
  password2: z.string().check(z.minLength(lengthMin, words.confirmation)),
});
const agree = ({ password, password2 }: NewPasswordValues) => password === password2;
export const samePasswords = ({ different }: PasswordWords) =>
  z.refine<NewPasswordValues>(agree, { path: ["password2"], error: different });

export const newPasswordSchema = (words: PasswordWords): z.ZodMiniType<NewPasswordValues, NewPasswordValues> =>
  z.object(passwordPair(words)).check(samePasswords(words));
