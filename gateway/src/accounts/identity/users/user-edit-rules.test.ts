import { scopes } from "@tollgate/contract/accounts/scopes.ts";
import { expect, test } from "vitest";
import type { Principal } from "../../../http/request-context.ts";
import {
  canManage,
  changeForAction,
  checkCanManage,
  checkNotSelf,
  checkRole,
  checkSignInStays,
  computeQuotaAdjustment,
} from "./user-edit-rules.ts";

const person: Principal["credential"] = { kind: "access_token" };
const program: Principal["credential"] = {
  kind: "management_key",
  id: 1,
  name: "ci",
  scopes: [...scopes],
  subnet: [],
  teamId: undefined,
};
const of = (role: number, id = role, credential: Principal["credential"] = person) => ({
  id,
  role,
  credential,
});
const code = (expected: string) => expect.objectContaining({ code: expected });

test.each([
  [10, 1, true],
  [10, 10, false],
  [10, 100, false],
  [100, 1, true],
  [100, 10, true],
  [100, 100, true],
])("role %d manages role %d: %s", (actor, target, expected) => {
  expect(canManage(of(actor, 1), of(target, 2))).toBe(expected);
});

test("an administrator cannot manage the own account; root can, except for some fields", () => {
  expect(() => checkCanManage(of(10, 7), of(10, 7))).toThrow(code("user_out_of_reach"));
  expect(() => checkCanManage(of(100, 7), of(100, 7))).not.toThrow();
  expect(() => checkNotSelf(of(100, 7), of(100, 7))).toThrow(code("user_is_yourself"));
});

test("only root assigns roles, and never to itself; the same role is no change", () => {
  expect(() => checkRole(of(10), of(1), 10)).toThrow(code("role_not_allowed"));
  expect(() => checkRole(of(100, 7), of(100, 7), 1)).toThrow(code("role_not_allowed"));
  expect(() => checkRole(of(10), of(1), 1)).not.toThrow();
  expect(() => checkRole(of(100, 7), of(100, 8), 1)).not.toThrow();
});

test("a management key manages ordinary users alone, and changes neither roles nor ways to sign in", {
  tags: ["MK-03"],
}, () => {
  const root = of(100, 7, program);
  expect(canManage(root, of(1))).toBe(true);
  expect(canManage(root, of(10))).toBe(false);
  expect(canManage(root, root)).toBe(false);
  expect(() => checkRole(root, of(1), 10)).toThrow(code("role_not_allowed"));
  const target = { email: "a@example.org" };
  for (const change of [{ email: "b@example.org" }, { password: "correct horse" }]) {
    expect(() => checkSignInStays(root, target, change)).toThrow(
      code("management_key_not_allowed"),
    );
    expect(() => checkSignInStays(of(10), target, change)).not.toThrow();
  }
  expect(() =>
    checkSignInStays(root, target, { email: "a@example.org", password: "" }),
  ).not.toThrow();
});

test("promoting and demoting switch between user and administrator only", () => {
  expect(changeForAction("promote", of(1))).toEqual({ role: 10 });
  expect(changeForAction("demote", of(10))).toEqual({ role: 1 });
  for (const [action, role] of [
    ["promote", 10],
    ["promote", 100],
    ["demote", 1],
    ["demote", 100],
  ] as const)
    expect(() => changeForAction(action, of(role))).toThrow(code("role_not_allowed"));
});

test.each([
  ["no quota given", { balance: 70, held: 0 }, {}, 0, false],
  ["as it stands", { balance: 70, held: 0 }, { quota: 100 }, 30, true],
  ["unchanged by the form", { balance: 70, held: 0 }, { quota: 100, quota_read: 100 }, 0, false],
  ["more than was read", { balance: 70, held: 0 }, { quota: 150, quota_read: 100 }, 50, false],
  ["less than is left", { balance: 70, held: 0 }, { quota: 0, quota_read: 100 }, -70, true],
  ["down to what is held", { balance: 70, held: 20 }, { quota: 20 }, -50, true],
  ["to the top", { balance: 70, held: 0 }, { quota: 9e15, quota_read: 0 }, 9e15 - 70, true],
])("a balance moves: %s", (_, account, change, amount, isExact) => {
  expect(computeQuotaAdjustment(account, change)).toEqual({ amount, isExact });
});

test("quota that running calls hold cannot be taken away", () => {
  expect(() => computeQuotaAdjustment({ balance: 70, held: 20 }, { quota: 19 })).toThrow(
    code("quota_set_aside"),
  );
  expect(() =>
    computeQuotaAdjustment({ balance: 70, held: 20 }, { quota: 0, quota_read: 60 }),
  ).toThrow(code("quota_set_aside"));
});
