import { leastRole } from "@tollgate/contract/accounts/grantable-scopes.ts";
import { roles } from "@tollgate/contract/accounts/roles.ts";
import { catalogue } from "@tollgate/contract/catalogue/catalogue.ts";
import { expect, test } from "vitest";
import { explainRefusal, narrowAuditor } from "./read-only-account.ts";
import { Refusal } from "./refusal.ts";
import type { Principal } from "./request-context.ts";

const person: Principal = {
  ...{ id: 7, uuid: "u", username: "mira", role: roles.admin, group: "default" },
  ...{ isReadOnly: false, mustChangePassword: false, mustAddSecondFactor: false },
  credential: { kind: "access_token" },
};
const auditor: Principal = { ...person, isReadOnly: true };
const refusedFor = (act: () => unknown): string => {
  try {
    act();
    return "";
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.code;
  }
};

test("an auditor has the role of an administrator in what reads, and of a user in every change", () => {
  for (const { name, endpoint } of catalogue) {
    const isChange = endpoint.reply.isChange === true && !endpoint.scope.endsWith(":read");
    const isForAdmins = leastRole[endpoint.access] >= roles.admin;
    const code = refusedFor(() => narrowAuditor(endpoint, auditor));
    expect([name, code]).toEqual([name, isChange && isForAdmins ? "account_read_only" : ""]);
    if (code === "")
      expect([name, narrowAuditor(endpoint, auditor).role]).toEqual([
        name,
        isChange ? roles.user : roles.admin,
      ]);
    // Nobody else is narrowed.
    expect(narrowAuditor(endpoint, person)).toBe(person);
    expect(narrowAuditor(endpoint, undefined)).toBeUndefined();
  }
});

test("what belongs to others is called out of an auditor's reach, and an own mistake what it is", () => {
  const change = { reply: { isChange: true as const }, scope: "none" as const };
  const read = { reply: {}, scope: "logs:read" as const };
  const codeOf = (endpoint: typeof change | typeof read, caller: Principal, code: string) =>
    (explainRefusal(endpoint, caller, new Refusal(code as never)) as Refusal).code;
  for (const code of ["token_not_found", "team_role_insufficient", "insufficient_role"]) {
    expect(codeOf(change, auditor, code)).toBe("account_read_only");
    expect(codeOf(change, person, code)).toBe(code);
    expect(codeOf(read, auditor, code)).toBe(code);
  }
  for (const code of ["current_password_wrong", "invalid_request", "changed_meanwhile"])
    expect(codeOf(change, auditor, code)).toBe(code);
  const bug = new Error("bug");
  expect(explainRefusal(change, auditor, bug)).toBe(bug);
});
