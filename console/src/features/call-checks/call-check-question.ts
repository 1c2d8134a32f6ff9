/** The question of a check, as the address of the page holds it. */
import { type CheckedEndpoint, type checkCall, checkedEndpoints } from "@tollgate/contract/call-checks.ts";
import type { QueryIn } from "@tollgate/contract/endpoint.ts";

export type CallQuestion = {
  /** The id or uuid of a key; empty for none. */
  token: string;
  /** The id or uuid of a user who calls without a key of their own; empty for the reader. */
  user: string;
  model: string;
  endpoint: CheckedEndpoint;
  /** As typed; empty for no limit. */
  max_tokens: string;
};

const textIn = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value).trim() : "";

/** What an address does not hold, or holds in a form that no check understands, takes its default. */
export function questionFrom(search: Readonly<Record<string, unknown>>): CallQuestion {
  const endpoint = checkedEndpoints.find((name) => name === search.endpoint) ?? "chat_completions";
  const limit = textIn(search.max_tokens);
  return {
    token: textIn(search.token),
    user: textIn(search.user),
    model: textIn(search.model),
    endpoint,
    max_tokens: /^[1-9][0-9]{0,6}$/.test(limit) ? limit : "",
  };
}

/** Without what is empty or the default. */
export function toSearch(question: CallQuestion): Record<string, string> {
  const members = Object.entries(question).filter(([, value]) => value !== "" && value !== "chat_completions");
  return Object.fromEntries(members);
}

/** A key names its user, so only one of the two is sent. */
export function toQuery({
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
