import { defaultCharge } from "@tollgate/tests/harness/test-gateway.ts";
import { expect, test } from "vitest";
import { findChanges } from "./rehearse-upgrade.ts";

const site = {
  wallets: [{ id: 2, balance: 1_000, held: 0 }],
  users: [{ id: 2, username: "person", used_quota: 54, request_count: 1 }],
  tokens: [{ id: 1, remain_quota: 900, used_quota: 54 }],
  channels: [{ id: 1, name: "first", used_quota: 54 }],
  logs: [{ id: 10, quota: 54 }],
  ledger: [{ billing_id: 10, kind: "charge", amount: 54 }],
};
type Site = Record<keyof typeof site, object[]>;
const written = (tables: Site) =>
  Object.fromEntries(Object.entries(tables).map(([table, rows]) => [table, JSON.stringify(rows)]));
/** The same site after one more call. */
const grown: Site = {
  wallets: [{ id: 2, balance: 1_000 - defaultCharge, held: 0 }],
  users: [{ id: 2, username: "person", used_quota: 54 + defaultCharge, request_count: 2 }],
  tokens: [{ id: 1, remain_quota: 900 - defaultCharge, used_quota: 54 + defaultCharge }],
  channels: [{ id: 1, name: "first", used_quota: 54 + defaultCharge }],
  logs: [...site.logs, { id: 11, quota: defaultCharge }],
  ledger: [...site.ledger, { billing_id: 11, kind: "charge", amount: defaultCharge }],
};

test("one new call is the only change that an upgrade may show", () => {
  expect(findChanges(written(site), written(grown))).toEqual([]);
});

test.each<[string, Partial<Site>]>([
  ["a balance that moved", { wallets: [{ id: 2, balance: 999, held: 0 }] }],
  ["a hold that stayed", { wallets: [{ id: 2, balance: 1_000 - defaultCharge, held: 7 }] }],
  ["a renamed user", { users: [{ ...grown.users[0], username: "other" }] }],
  ["a key that is gone", { tokens: [] }],
  ["a row of the log that changed", { logs: [{ id: 10, quota: 53 }, grown.logs[1] ?? {}] }],
  ["a row of the ledger that is gone", { ledger: grown.ledger.slice(1) }],
  [
    "a call that was charged twice",
    { ledger: [...grown.ledger, { billing_id: 12, kind: "charge", amount: 54 }] },
  ],
])("%s is named", (_, change) => {
  expect(findChanges(written(site), written({ ...grown, ...change })).length).toBeGreaterThan(0);
});
