import { buildAlertRuleSettings } from "@tollgate/contract/notices/alert-rule-settings.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type OwnAlertTerms,
  type OwnAlertWorld,
  type OwnedToken,
  type OwnedWallet,
  ownAlertEvents,
} from "./own-alert-causes.ts";

const day = 24 * 3_600_000;
const now = 1_000 * day;
const terms: OwnAlertTerms = {
  rules: buildAlertRuleSettings(""),
  siteBalanceBelow: 1_000,
  quotaText: (units) => `${units} quota`,
  now,
};
const world = (parts: Partial<OwnAlertWorld>): OwnAlertWorld => ({
  wallets: [],
  tokens: [],
  managementKeys: [],
  budgets: [],
  endingUses: [],
  firing: [],
  ...parts,
});
const wallet = (balance: number, balance_below = 0): OwnedWallet => ({
  user_id: 7,
  username: "mira",
  balance,
  balance_below,
});
const token = (endsIn: number, lifetime = 30 * day): OwnedToken => ({
  id: 3,
  user_id: 7,
  name: "ci",
  created_at: now + endsIn - lifetime,
  expired_at: now + endsIn,
});
const firing = (
  rule: "wallet.low" | "key.expiring",
  subject_kind: "user" | "token" | "management_key",
  subject_id: string,
  subject_name: string,
) => ({
  rule,
  subject_kind,
  subject_id,
  subject_name,
  user_id: 7,
});
const rulesOf = (parts: Partial<OwnAlertWorld>, some: Partial<OwnAlertTerms> = {}) =>
  ownAlertEvents(world(parts), { ...terms, ...some }).map(({ rule, state }) => `${rule} ${state}`);

test("a balance below the user's own threshold is told to that user alone, with both figures", () => {
  expect(ownAlertEvents(world({ wallets: [wallet(4_000, 5_000)] }), terms)).toEqual([
    {
      rule: "wallet.low",
      state: "firing",
      userId: 7,
      subject: { kind: "user", id: 7, name: "mira" },
      facts: { kind: "wallet_low", username: "mira", left: "4000 quota", threshold: "5000 quota" },
      measure: { value: 0.008, threshold: 0.01 },
    },
  ]);
  expect(rulesOf({ wallets: [wallet(4_000)] })).toEqual([]);
  expect(rulesOf({ wallets: [wallet(999)] })).toEqual(["wallet.low firing"]);
  expect(rulesOf({ wallets: [wallet(0)] }, { siteBalanceBelow: 0 })).toEqual([]);
});

test("a low balance is over a tenth above its threshold, so that no balance both raises and ends it", () => {
  const low = [firing("wallet.low", "user", "7", "mira")];
  expect(rulesOf({ wallets: [wallet(1_050)], firing: low })).toEqual([]);
  expect(rulesOf({ wallets: [wallet(1_100)], firing: low })).toEqual(["wallet.low resolved"]);
  fc.assert(
    fc.property(fc.nat(10_000), fc.nat(5_000), (balance, below) => {
      const begun = rulesOf({ wallets: [wallet(balance, below)] }).length > 0;
      const ended = rulesOf({ wallets: [wallet(balance, below)], firing: low }).length > 0;
      expect(begun && ended).toBe(false);
    }),
  );
});

test("a key that ends within a week is told, unless it was made for no longer", () => {
  expect(rulesOf({ tokens: [token(7 * day)] })).toEqual(["key.expiring firing"]);
  expect(rulesOf({ tokens: [token(7 * day + 1)] })).toEqual([]);
  expect(rulesOf({ tokens: [token(day, 7 * day)] })).toEqual([]);
});

test("a key that has ended is told as such, and one that was extended or deleted as over", () => {
  const told = [firing("key.expiring", "token", "3", "ci")];
  const [ended] = ownAlertEvents(world({ tokens: [token(-1)], firing: told }), terms);
  expect(ended).toMatchObject({ state: "resolved", facts: { kind: "key_expired", key: "ci" } });
  const [extended] = ownAlertEvents(world({ tokens: [token(20 * day)], firing: told }), terms);
  expect(extended).not.toHaveProperty("facts");
  expect(extended).toMatchObject({ state: "resolved", userId: 7 });
});

test("a management key that ends within a week is told beside a token of the same number, and ends apart from it", () => {
  const both = { tokens: [token(day)], managementKeys: [token(day)] };
  const events = ownAlertEvents(world(both), terms);
  expect(events.map(({ subject, facts }) => [subject.kind, subject.id, facts?.kind])).toEqual([
    ["token", 3, "key_expiring"],
    ["management_key", "management 3", "management_key_expiring"],
  ]);
  const told = [
    firing("key.expiring", "token", "3", "ci"),
    firing("key.expiring", "management_key", "management 3", "ci"),
  ];
  expect(rulesOf({ ...both, firing: told })).toEqual([]);
  const [ended] = ownAlertEvents(
    world({ ...both, managementKeys: [token(-1)], firing: told }),
    terms,
  );
  expect(ended).toMatchObject({
    state: "resolved",
    subject: { kind: "management_key", id: "management 3" },
    facts: { kind: "management_key_expired" },
  });
});

test("a budget of a user is told at each threshold that it has reached", () => {
  const budget = {
    id: 5,
    user_id: 7,
    name: "Daily limit",
    thresholds: "50,80,100",
    window: "lifetime",
    first_day: 1,
    anchor: "",
    zone: "UTC",
    counts_from: 0,
    amount: 1_000_000,
    spent: 850_000,
    window_start: 0,
  } as const;
  const events = ownAlertEvents(world({ budgets: [budget] }), terms);
  expect(events.map(({ subject, userId }) => [subject.id, userId])).toEqual([
    ["5/50", 7],
    ["5/80", 7],
  ]);
  expect(events[1]?.facts).toMatchObject({ percent: 80, spent: "$1.70", amount: "$2.00" });
});

test("a rule that root switched off tells users nothing", () => {
  const rules = buildAlertRuleSettings('{"wallet.low":{"enabled":false}}');
  expect(rulesOf({ wallets: [wallet(1)] }, { rules })).toEqual([]);
});
