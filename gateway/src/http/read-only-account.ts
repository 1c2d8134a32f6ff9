/**
 * The rights of an auditor: an administrator who sees what administrators see, and changes the own
 * account alone. Pure.
 */
import { roles } from "@tollgate/contract/accounts/roles.ts";
import type { Endpoint } from "@tollgate/contract/api/endpoint.ts";
import type { ErrorCode } from "@tollgate/contract/api/errors.ts";
import { Refusal, refuse } from "./refusal.ts";
import type { Principal } from "./request-context.ts";

/** A scope that only reads says that a POST is a search. */
const isChange = ({ reply, scope }: Pick<Endpoint, "reply" | "scope">): boolean =>
  reply.isChange === true && !scope.endsWith(":read");

/**
 * `narrowAuditor` gives an auditor the role of a user for whatever changes something, so that each
 * rule of the handler lets through the own account alone. Operations of administrators are refused.
 */
export function narrowAuditor<Caller extends Principal | undefined>(
  endpoint: Pick<Endpoint, "access" | "reply" | "scope">,
  principal: Caller,
): Caller {
  if (!principal?.isReadOnly || !isChange(endpoint)) return principal;
  if (endpoint.access === "admin" || endpoint.access === "root") throw refuse("account_read_only");
  return { ...principal, role: Math.min(principal.role, roles.user) };
}

const saysOutOfReach = (code: ErrorCode): boolean =>
  code === "insufficient_role" ||
  code === "team_role_insufficient" ||
  code === "team_owner_only" ||
  code === "transfer_not_allowed" ||
  code.endsWith("_not_found");

/**
 * `explainRefusal` says to an auditor why a change of what belongs to others fails: it can be seen,
 * so to call it missing would be wrong.
 */
export function explainRefusal(
  endpoint: Pick<Endpoint, "reply" | "scope">,
  principal: Pick<Principal, "isReadOnly"> | undefined,
  error: unknown,
): unknown {
  const isExplained =
    principal?.isReadOnly === true &&
    isChange(endpoint) &&
    error instanceof Refusal &&
    saysOutOfReach(error.code);
  return isExplained ? refuse("account_read_only") : error;
}
