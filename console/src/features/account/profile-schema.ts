import { email } from "@tollgate/contract/accounts/users.ts";
import * as z from "zod/mini";

/** The translated validation messages. */
export type ProfileMessages = { usernameMissing: string; usernameTooShort: string };

export type ProfileValues = {
  username: string;
  display_name: string;
  email: string;
  /** The code mailed to a new address; empty where none was asked for. */
  verification_code: string;
};

export const defineProfileSchema = (
  messages: ProfileMessages,
): z.ZodMiniType<ProfileValues, ProfileValues> =>
  z.object({
    username: z
      .string()
      .check(
        z.trim(),
        z.minLength(1, messages.usernameMissing),
        z.minLength(3, messages.usernameTooShort),
      ),
    display_name: z.string(),
    email,
    verification_code: z.string().check(z.trim()),
  });
