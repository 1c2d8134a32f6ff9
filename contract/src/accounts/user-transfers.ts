/** A user moves quota from the own balance to that of another user, where the site lets users. */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { line, movedUnits } from "../api/scalars.ts";
import { confirmation } from "./accounts.ts";

export const transferToUser = endpoint("POST", "/api/user/transfer", {
  access: "user",
  scope: "none",
  summary:
    "Move quota from the caller's balance to another user, after recent proof of identity; only where the setting TransferFromUsers is on",
  body: z.object({
    /** `username` is exact: a name that merely looks like it receives nothing. */
    username: line(128).check(z.minLength(1, "Username is required")),
    amount: movedUnits,
    ...confirmation,
  }),
  limit: "sign-in",
});
