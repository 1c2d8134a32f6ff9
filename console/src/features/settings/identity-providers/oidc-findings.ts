import type { OidcProblem, OidcTestReport } from "@tollgate/contract/accounts/oidc-providers.ts";

/** `OidcFinding` is one finding of a test of a provider; oidc-words.ts says what to do about it. */
export type OidcFinding = { tone: "good" | "warn" | "bad" | "info" } & (
  | { code: OidcProblem | "works" | "pkce" }
  | { code: "clock_ahead" | "clock_behind"; seconds: number }
  | { code: "scopes" | "unasked"; names: string }
);

/** Beyond it, the gateway takes a fresh id token for one that is not valid yet, or no longer. */
const clockToleranceS = 30;

/**
 * `listOidcFindings` gives what a test found, the worst first. `scopes` are those that the form
 * asks for, `claims` those that its rules look at.
 */
export function listOidcFindings(
  report: OidcTestReport,
  scopes: string,
  claims: readonly string[] = [],
): OidcFinding[] {
  if (report.problem !== null)
    return [{ tone: "bad", code: report.problem }, ...listClockFinding(report)];
  const works: OidcFinding = { tone: "good", code: "works" };
  const pkce: OidcFinding[] = report.announces_pkce ? [] : [{ tone: "info", code: "pkce" }];
  const asked = scopes.split(/\s+/).filter((scope) => scope !== "");
  return [
    ...listClockFinding(report),
    ...scopeFinding(report, asked),
    ...listUnaskedFinding(report, asked, claims),
    works,
    ...pkce,
  ];
}

function listClockFinding({ clock_ahead_s }: OidcTestReport): OidcFinding[] {
  const ahead = clock_ahead_s ?? 0;
  const seconds = Math.abs(ahead);
  if (!(seconds > clockToleranceS)) return [];
  return [{ tone: "bad", code: ahead > 0 ? "clock_ahead" : "clock_behind", seconds }];
}

function scopeFinding(report: OidcTestReport, asked: readonly string[]): OidcFinding[] {
  const missing = asked.filter((scope) => !report.scopes.includes(scope));
  // The list is optional: without it nothing is known.
  if (report.scopes.length === 0 || missing.length === 0) return [];
  return [{ tone: "warn", code: "scopes", names: missing.join(", ") }];
}

/** Strict providers send a claim for the scope of its name alone. */
function listUnaskedFinding(
  report: OidcTestReport,
  asked: readonly string[],
  claims: readonly string[],
): OidcFinding[] {
  const members = new Set(claims.map((claim) => claim.trim().split(".")[0] ?? ""));
  const names = report.scopes.filter((scope) => members.has(scope) && !asked.includes(scope));
  return names.length === 0 ? [] : [{ tone: "warn", code: "unasked", names: names.join(", ") }];
}
