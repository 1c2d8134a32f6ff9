import * as z from "zod/mini";

/** The translated validation messages. */
export type PasswordMessages = {
  tooShort: string;
  tooLong: string;
  confirmation: string;
  different: string;
};
export type NewPasswordValues = { password: string; password2: string };

const lengthMin = 8;
const lengthMax = 128;

/** The two fields for a larger form; `defineSamePasswords` is the check that they are equal. */
export const definePasswordPair = (messages: PasswordMessages) => ({
  password: z
    .string()
    .check(z.minLength(lengthMin, messages.tooShort), z.maxLength(lengthMax, messages.tooLong)),
  password2: z.string().check(z.minLength(lengthMin, messages.confirmation)),
});
const passwordsMatch = ({ password, password2 }: NewPasswordValues) => password === password2;
export const defineSamePasswords = ({ different }: PasswordMessages) =>
  z.refine<NewPasswordValues>(passwordsMatch, { path: ["password2"], error: different });

export const definePasswordSchema = (
  messages: PasswordMessages,
): z.ZodMiniType<NewPasswordValues, NewPasswordValues> =>
  z.object(definePasswordPair(messages)).check(defineSamePasswords(messages));
