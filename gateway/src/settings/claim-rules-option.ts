/**
 * The setting with the rules for people whom a reverse proxy signs in: which of its groups give a
 * role or a price group. Pure.
 */
import { type ClaimRule, oidcProvider } from "@tollgate/contract/accounts/oidc-providers.ts";
import * as z from "zod/mini";

/** Fifty rules of the longest fields. */
const textMax = 50_000;

/** Undefined for a text that holds no rules. */
export function readClaimRules(text: string): ClaimRule[] | undefined {
  if (text.length > textMax) return undefined;
  try {
    return z.safeParse(oidcProvider.shape.rules, JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
