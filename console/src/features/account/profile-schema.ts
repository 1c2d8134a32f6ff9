import { email } from "@tollgate/contract/users.ts";
import * as z from "zod/mini";

/** What the forms say when they refuse, in the reader's language. */
export type ProfileWords = { usernameMissing: string; usernameTooShort: string };

export type ProfileValues = { username: string; display_name: string; email: string };

export const profileSchema = (words: ProfileWords): z.ZodMiniType<ProfileValues, ProfileValues> =>
  z.object({
    username: z.string().check(z.trim(), z.minLength(1, words.usernameMissing), z.minLength(3, words.usernameTooShort)),
    display_name: z.string(),
    email,
  });
