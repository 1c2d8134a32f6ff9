import { tokenStatus } from "@tollgate/contract/accounts/tokens.ts";
import { blockContains, parseAddress, parseBlock } from "@tollgate/contract/api/cidr.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { FamilyKind } from "./family-kind.ts";
import { readOption } from "./family-options.ts";
import { readToken } from "./family-tokens.ts";

const base = {
  id: 1n,
  user_id: 2,
  key: "k".repeat(48),
  name: "one",
  status: 1,
  unlimited_quota: 1,
};
const kinds = fc.constantFrom<FamilyKind>("one-api", "laisky-one-api", "new-api");
const names = fc.array(fc.constantFrom("a", " b", "c ", "", "gpt-4o"), { maxLength: 4 });
const addresses = fc.array(
  fc.constantFrom("10.0.0.1", "10.0.0.0/8", "nonsense", "2001:db8::/32", ""),
  {
    maxLength: 4,
  },
);

test("a carried key may never use a model or an address that it could not use there", () => {
  fc.assert(
    fc.property(kinds, names, addresses, fc.boolean(), (kind, models, blocks, isLimited) => {
      const isNew = kind === "new-api";
      const row = isNew
        ? {
            model_limits_enabled: isLimited ? 1 : 0,
            model_limits: models.join(","),
            allow_ips: blocks.join("\n"),
          }
        : { models: models.join(","), subnet: blocks.join(",") };
      const { item } = readToken(kind, { ...base, ...row });
      if (!item || item.status === tokenStatus.disabled) return;
      const theirs = models.map((name) => name.trim()).filter(Boolean);
      const isRestrictedThere = isNew ? isLimited : models.join(",").trim() !== "";
      if (isRestrictedThere) expect(theirs).toEqual(expect.arrayContaining(item.models.split(",")));
      const given = blocks.filter(Boolean);
      if (given.length > 0) {
        const ours = item.subnet.split(",").flatMap((text) => parseBlock(text) ?? []);
        expect(ours.length).toBe(given.length);
        const outside = parseAddress("192.0.2.1") ?? [];
        expect(ours.some((block) => blockContains(block, outside))).toBe(false);
      }
    }),
  );
});

test("any row of a hostile table becomes a key or a line, never an error", () => {
  const cell = fc.oneof(
    fc.constant(null),
    fc.string(),
    fc.bigInt(),
    fc.double(),
    fc.uint8Array(),
    fc.constantFrom(-1, 0, 1, 1e308, "\u0000", "x".repeat(500)),
  );
  const row = fc.record({
    id: cell,
    user_id: cell,
    key: cell,
    status: cell,
    name: cell,
    expired_time: cell,
    remain_quota: cell,
    used_quota: cell,
    unlimited_quota: cell,
    models: cell,
    subnet: cell,
    model_limits_enabled: cell,
    allow_ips: cell,
    group: cell,
    auto_groups: cell,
  });
  fc.assert(
    fc.property(kinds, row, (kind, one) => {
      const { item, losses } = readToken(kind, one);
      if (item === undefined) expect(losses.length).toBeGreaterThan(0);
      else {
        expect(Number.isSafeInteger(item.remainQuota) && item.remainQuota >= 0).toBe(true);
        expect(Number.isSafeInteger(item.usedQuota) && item.usedQuota >= 0).toBe(true);
      }
    }),
  );
});

test.each([
  ["enabled with quota", { status: 1, unlimited_quota: 0, remain_quota: 5 }, tokenStatus.enabled],
  [
    "enabled without quota",
    { status: 1, unlimited_quota: 0, remain_quota: 0 },
    tokenStatus.exhausted,
  ],
  ["disabled", { status: 2 }, tokenStatus.disabled],
  ["expired, with its time", { status: 3, expired_time: 1_600_000_000 }, tokenStatus.enabled],
  ["expired, without a time", { status: 3, expired_time: -1 }, tokenStatus.disabled],
  ["used up", { status: 4 }, tokenStatus.exhausted],
  ["of an unknown status", { status: 9 }, tokenStatus.disabled],
])("a key that is %s gets the status %#", (_, fields, status) => {
  expect(readToken("one-api", { ...base, ...fields }).item?.status).toBe(status);
});

test.each([
  ["its own", { group: "vip" }, "vip", []],
  ["none", { group: "" }, "", []],
  [
    "auto with a list of its own",
    { group: "auto", auto_groups: '["b","a"]', cross_group_retry: 1 },
    "b,a",
    [],
  ],
  ["auto with the site's", { group: "auto", cross_group_retry: 1 }, "x,y", []],
  ["auto that stays in one group", { group: "auto" }, "x,y", ["token_groups_in_turn"]],
  [
    "too many",
    { group: "auto", auto_groups: '["1","2","3","4","5","6"]', cross_group_retry: 1 },
    "1,2,3,4,5",
    ["token_groups_cut"],
  ],
])("a key of new-api keeps its groups: %s", (_, row, groups, losses) => {
  const reading = readToken("new-api", { ...base, ...row }, ["x", "y"]);
  expect(reading.item).toMatchObject({ groups, status: tokenStatus.enabled });
  expect(reading.losses.map(({ reason }) => reason)).toEqual(losses);
});

test("a key whose groups the source does not name waits for an administrator", () => {
  const { item, losses } = readToken("new-api", { ...base, group: "auto", auto_groups: "{" });
  expect(item).toMatchObject({ groups: "", status: tokenStatus.disabled });
  expect(losses.map(({ reason }) => reason)).toEqual(["token_group"]);
});

test("the groups that users of new-api may choose become the setting for tokens", () => {
  const { item, losses } = readOption("UserUsableGroups", '{"default":"Standard","a, b":"Two"}');
  expect(item).toEqual({
    key: "SelectableGroups",
    value: expect.stringMatching(/^default,a_ b-[0-9a-f]{6}$/),
  });
  expect(losses).toEqual([]);
});
