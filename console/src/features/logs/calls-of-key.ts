import { findAnyToken } from "@tollgate/contract/accounts/all-tokens.ts";
import { findToken } from "@tollgate/contract/accounts/tokens.ts";
import { askForSecret } from "../../components/keys/ask-for-secret.ts";
import { isWholeKey, wholeKey } from "../../components/keys/whole-secret.ts";
import { type LogFilterValues, logFilterKeys } from "./log-filter-values.ts";

/**
 * `askForCallsOfKey` puts the name of its token in place of a whole key that was pasted into a
 * filter.
 */
export async function askForCallsOfKey(
  filter: LogFilterValues,
  isAdmin: boolean,
  ask: (filter: LogFilterValues) => void,
): Promise<void> {
  const pasted = logFilterKeys.filter((field) => isWholeKey(filter[field]));
  const secret = pasted.map((field) => wholeKey.secretIn(filter[field].trim()))[0] ?? "";
  const kept = { ...filter, ...Object.fromEntries(pasted.map((field) => [field, ""])) };
  await askForSecret(
    isAdmin ? findAnyToken : findToken,
    secret,
    ({ name = "", username = kept.username }) =>
      ask({ ...kept, token_name: name, username: isAdmin ? username : kept.username }),
  );
}
