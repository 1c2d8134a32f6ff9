import { type OidcTestReport, oidcProblems } from "@tollgate/contract/accounts/oidc-providers.ts";
import { expect, test } from "vitest";
import { listOidcFindings } from "./oidc-findings.ts";

const good: OidcTestReport = {
  problem: null,
  detail: "",
  authorization_endpoint: "https://a.example/authorize",
  token_endpoint: "https://a.example/token",
  end_session_endpoint: "",
  algorithms: ["RS256"],
  scopes: ["openid", "profile"],
  announces_pkce: true,
  clock_ahead_s: 0,
};
const tonesOf = (report: Partial<OidcTestReport>, scopes = "openid profile") =>
  listOidcFindings({ ...good, ...report }, scopes).map(({ tone }) => tone);

test("a problem is the only finding: nothing behind it was tried", () => {
  for (const problem of oidcProblems)
    expect(listOidcFindings({ ...good, problem }, "groups")).toEqual([
      { tone: "bad", code: problem },
    ]);
});

test("a provider without fault is good, and what it does not announce is no fault", () => {
  expect(tonesOf({})).toEqual(["good"]);
  expect(tonesOf({ announces_pkce: false })).toEqual(["good", "info"]);
  expect(tonesOf({ scopes: [] }, "openid groups")).toEqual(["good"]);
  expect(tonesOf({ clock_ahead_s: null })).toEqual(["good"]);
});

test("a clock that is off and a scope that is not offered come before the good news", () => {
  expect(tonesOf({ clock_ahead_s: -31 })).toEqual(["bad", "good"]);
  expect(tonesOf({ clock_ahead_s: 30 })).toEqual(["good"]);
  expect(tonesOf({}, "openid  groups")).toEqual(["warn", "good"]);
  expect(tonesOf({ problem: "client", clock_ahead_s: 31 })).toEqual(["bad", "bad"]);
});

test("an answer of another kind of server is read all the same", () => {
  expect(tonesOf({ problem: "other" as never, clock_ahead_s: Number.NaN })).toEqual(["bad"]);
});

test("TechnitiumSoftware/DnsServer#1847: rules that look at a claim whose scope is not asked for are named", () => {
  const offering = { ...good, scopes: ["openid", "groups", "roles", "address"] };
  const unasked = (scopes: string, claims: string[]) =>
    listOidcFindings(offering, scopes, claims).flatMap((one) =>
      one.code === "unasked" ? [one.tone, one.names] : [],
    );
  expect(unasked("openid", ["groups", " roles.admin", "groups"])).toEqual([
    "warn",
    "groups, roles",
  ]);
  expect(unasked("openid groups", ["groups", "department", ""])).toEqual([]);
  expect(
    listOidcFindings({ ...offering, scopes: [] }, "openid", ["groups"]).map(({ code }) => code),
  ).toEqual(["works"]);
});
