/** The question of a check, as the address of the page holds it. */

import type { QueryIn } from "@tollgate/contract/api/endpoint.ts";
import {
  type CheckedEndpoint,
  type checkCall,
  checkedEndpoints,
} from "@tollgate/contract/catalogue/call-checks.ts";

export type CallQuestion = {
  /** The id or uuid of a key; empty for none. */
  token: string;
  /** The id or uuid of a user who calls without a key of their own; empty for the reader. */
  user: string;
  model: string;
  endpoint: CheckedEndpoint;
  /** `max_tokens` are as typed; empty for no limit. */
  max_tokens: string;
};

const parseText = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value).trim() : "";

/**
 * `buildQuestion` takes the default for anything that the address does not hold, or holds in a form
 * that no check understands.
 */
export function buildQuestion(search: Readonly<Record<string, unknown>>): CallQuestion {
  const endpoint = checkedEndpoints.find((name) => name === search.endpoint) ?? "chat_completions";
  const limit = parseText(search.max_tokens);
  return {
    token: parseText(search.token),
    user: parseText(search.user),
    model: parseText(search.model),
    endpoint,
    max_tokens: /^[1-9][0-9]{0,6}$/.test(limit) ? limit : "",
  };
}

/** `buildSearch` leaves out values that are empty or the default. */
export function buildSearch(question: CallQuestion): Record<string, string> {
  const members = Object.entries(question).filter(
    ([, value]) => value !== "" && value !== "chat_completions",
  );
  return Object.fromEntries(members);
}

/** A key names its user, so only one of the two is sent. */
export function buildQuery({
  token,
  user,
  model,
  endpoint,
  max_tokens,
}: CallQuestion): NonNullable<QueryIn<typeof checkCall>> {
  return {
    ...(token !== "" ? { token } : user !== "" && { user }),
    model,
    endpoint,
    ...(max_tokens !== "" && { max_tokens }),
  };
}
