/**
 * The key of a token is shown again: to its owner alone, with proof where the settings ask for it,
 * and to no program with a management key.
 */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { bodyReference, isNamed, namedExplanation } from "../api/ids.ts";
import { confirmation } from "./accounts.ts";

export const revealToken = endpoint("POST", "/api/token/reveal", {
  access: "user",
  scope: "none",
  summary:
    "The key of one of the caller's tokens; where the settings say so, after recent proof of identity",
  body: z.object({ ...bodyReference, ...confirmation }).check(z.refine(isNamed, namedExplanation)),
  /** Empty for a key that the gateway cannot read any more. */
  data: z.object({ key: z.string() }),
  limit: "sign-in",
});
