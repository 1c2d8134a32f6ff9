/** Differences of compatible servers in tokens. */

import { tokenLimitNames } from "@tollgate/contract/accounts/token-restrictions.ts";
import type { Token } from "@tollgate/contract/accounts/tokens.ts";

/** Compatible servers have no limits and send none. */
export const knowsLimits = (token: Token): boolean =>
  tokenLimitNames.every((name) => Number.isFinite(token[name]));

/** The API sends a comma-separated list, compatible servers an array; either may be missing. */
export function listModelNames(models: string | readonly string[] | null | undefined): string[] {
  const names = typeof models === "string" ? models.split(",") : (models ?? []);
  return names.map((name) => name.trim()).filter((name) => name !== "");
}

/** Sends a single address as a CIDR block, because some compatible servers accept nothing else. */
export function listAddressBlocks(typed: string): string {
  return typed
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map((part) =>
      /^[\d.]+$/.test(part)
        ? `${part}/32`
        : /^[\da-f:.]*:[\da-f:.]*$/i.test(part)
          ? `${part}/128`
          : part,
    )
    .join(",");
}
