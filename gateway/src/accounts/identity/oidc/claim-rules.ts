/**
 * The role, price group and teams that the operator's rules give for the claims of an id token.
 * Pure.
 */

import type {
  ClaimRule,
  ClaimVerdict,
  TeamGrant,
} from "@tollgate/contract/accounts/oidc-providers.ts";
import { roles } from "@tollgate/contract/accounts/roles.ts";
import { isJsonRecord } from "@tollgate/contract/api/json-record.ts";

/** An id token's payload; every member is a provider's word and unchecked. */
export type Claims = Readonly<Record<string, unknown>>;

const own = (value: unknown, name: string): unknown =>
  isJsonRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
const readText = (value: unknown): string => (typeof value === "string" ? value : "");

/**
 * The texts at a dotted path. A member with dots in its own name comes first: namespaced claims are
 * URLs. A list gives each of its entries; whatever is neither text, number nor boolean gives
 * nothing.
 */
export function readValues(claims: unknown, path: string): string[] {
  let level = claims;
  for (let rest = path; ; ) {
    const whole = own(level, rest);
    if (whole !== undefined) return readTexts(whole);
    const dot = rest.indexOf(".");
    if (dot < 0) return [];
    level = own(level, rest.slice(0, dot));
    rest = rest.slice(dot + 1);
  }
}

const readTexts = (value: unknown): string[] =>
  (Array.isArray(value) ? (value as unknown[]) : [value]).flatMap((entry) =>
    ["string", "number", "boolean"].includes(typeof entry) ? [String(entry)] : [],
  );

/**
 * Microsoft Entra leaves out the groups of a user who has more than 200, and says so in one of two
 * ways.
 */
const hasTooManyGroups = (claims: Claims): boolean =>
  own(own(claims, "_claim_names"), "groups") !== undefined ||
  readValues(claims, "hasgroups").includes("true");

/**
 * The first rule that gives a role decides the role, the first that gives a group the group, and the
 * first that names a team what its people are there.
 */
export function evaluateClaimRules(
  rules: readonly ClaimRule[],
  refusesUnmatched: boolean,
  claims: Claims,
): ClaimVerdict {
  const matched = rules.flatMap(({ claim, value }, index) =>
    readValues(claims, claim).includes(value) ? [index] : [],
  );
  const matching = matched.flatMap((index) => rules[index] ?? []);
  const is_overage = hasTooManyGroups(claims) && rules.some(({ claim }) => claim === "groups");
  return {
    is_admitted: matching.length > 0 || !refusesUnmatched,
    role: matching.find(({ role }) => role !== null)?.role ?? null,
    group: matching.find(({ group }) => group !== "")?.group ?? "",
    teams: listGivenTeams(matching),
    matched,
    is_overage,
  };
}

function listGivenTeams(rules: readonly ClaimRule[]): TeamGrant[] {
  const given = new Map<string, TeamGrant>();
  for (const { team, team_role: role, team_budget: budget } of rules)
    if (team !== "" && !given.has(team)) given.set(team, { team, role, budget });
  return [...given.values()];
}

const shownValuesMax = 20;
const reasonLengthMax = 1_000;

/**
 * `explainUnmatched` says why no rule matches, with the values that the provider sent: for the
 * operator's log alone.
 */
export function explainUnmatched(rules: readonly ClaimRule[], claims: Claims): string {
  const paths = [...new Set(rules.map(({ claim }) => claim))];
  const held = paths.map(
    (path) => `${path} holds ${JSON.stringify(readValues(claims, path).slice(0, shownValuesMax))}`,
  );
  return `no rule matches: ${held.join(", ")}`.slice(0, reasonLengthMax);
}

/**
 * `hasProvedSecondFactor` says whether the provider checked a second factor: `amr` of RFC 8176, or
 * a class of authentication that the operator named.
 */
export const hasProvedSecondFactor = (claims: Claims, acrValues: readonly string[]): boolean =>
  (Array.isArray(claims.amr) && claims.amr.includes("mfa")) ||
  acrValues.includes(readText(claims.acr));

/** Role and group of an account, and which of them its provider gave; null: none. */
export interface ProviderStanding {
  role: number;
  group: string;
  givenRole: number | null;
  givenGroup: string | null;
}

/** `defaultGroup` is that of a user to whom nothing else was given. */
const defaultGroup = "default";

/**
 * `applyProviderGrants` gives what a provider gave is taken away when its rules no longer give it;
 * what people gave by hand stays, in both directions. A provider neither gives nor takes root.
 */
export function applyProviderGrants(
  { role, group, givenRole, givenGroup }: ProviderStanding,
  { role: ruledRole, group: ruledGroup }: Pick<ClaimVerdict, "role" | "group">,
): ProviderStanding {
  const byRole = chooseRole(role, givenRole, ruledRole);
  const byGroup = computeNextGroup(group, givenGroup, ruledGroup);
  return {
    role: byRole.role,
    givenRole: byRole.given,
    group: byGroup.group,
    givenGroup: byGroup.given,
  };
}

function chooseRole(
  role: number,
  given: number | null,
  ruled: number | null,
): { role: number; given: number | null } {
  if (role >= roles.root) return { role, given: null };
  const gives = ruled !== null && ruled > roles.user;
  // An administrator changed the role after the provider had given another one.
  if (given !== null && given !== role) return { role, given: gives ? given : null };
  const byHand = given === null ? role : roles.user;
  return gives && ruled > byHand ? { role: ruled, given: ruled } : { role: byHand, given: null };
}

function computeNextGroup(
  group: string,
  given: string | null,
  ruled: string,
): { group: string; given: string | null } {
  if (given !== null && given !== group) return { group, given: ruled === "" ? null : given };
  const byHand = given === null ? group : defaultGroup;
  if (ruled === "" || byHand !== defaultGroup || ruled === defaultGroup)
    return { group: byHand, given: null };
  return { group: ruled, given: ruled };
}
