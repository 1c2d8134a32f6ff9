import type { Redemption } from "@tollgate/contract/accounts/redemptions.ts";
import { expect, test } from "vitest";
import {
  buildRedemptionCreate,
  buildRedemptionForm,
  buildRedemptionUpdate,
  defineRedemptionFormSchema,
  generateSchema,
  newRedemption,
  type RedemptionFormValues,
} from "./redemption-form-values.ts";

const words = {
  nameMissing: "no name",
  nameLong: "long name",
  quota: "no quota",
  count: "no count",
  countHigh: "many",
};
const code: Redemption = {
  id: 7,
  uuid: "0199aa10-1111-7000-8000-0000000000aa",
  external_id: "",
  user_id: 1,
  user_uuid: null,
  name: "gift",
  key: "0123456789abcdef0123456789abcdef",
  status: 1,
  quota: 750_000,
  count: 0,
  created_time: 1_795_100_000,
  redeemed_time: 0,
  redeemed_by: "",
  created_at: 1_795_100_000_123,
  updated_at: 1_795_100_500_456,
};

const issueOf = (
  schema: ReturnType<typeof generateSchema>,
  change: Partial<RedemptionFormValues>,
) =>
  schema
    .safeParse({ ...newRedemption, name: "gift", ...change })
    .error?.issues.map(({ message }) => message);

test.each<[Partial<RedemptionFormValues>, string[] | undefined]>([
  [{}, undefined],
  [{ name: " " }, ["no name"]],
  [{ name: "x".repeat(20) }, undefined],
  [{ name: "x".repeat(21) }, ["long name"]],
  [{ quota: "-1" }, ["no quota"]],
  [{ quota: "1.5" }, ["no quota"]],
  [{ count: "0" }, ["no count"]],
  [{ count: "100" }, undefined],
  [{ count: "101" }, ["many"]],
  [{ count: "" }, ["no count"]],
])("form and dialog refuse %j with %j", (change, messages) => {
  expect(issueOf(defineRedemptionFormSchema(words), change)).toEqual(messages);
  expect(issueOf(generateSchema(words), change)).toEqual(messages);
});

test("the form requires a quota of at least 1, the dialog accepts 0", () => {
  expect(issueOf(defineRedemptionFormSchema(words), { quota: "0" })).toEqual(["no quota"]);
  expect(issueOf(generateSchema(words), { quota: "0" })).toBeUndefined();
});

test("opening and saving a code changes nothing, and requires no count", () => {
  expect(
    buildRedemptionUpdate(defineRedemptionFormSchema(words).parse(buildRedemptionForm(code)), code),
  ).toEqual({
    id: 7,
    uuid: code.uuid,
    name: "gift",
    quota: 750_000,
    updated_at: code.updated_at,
  });
});

test("a creation sends name, and quota and count as numbers", () => {
  const typed = { name: " gift ", quota: " 5 ", count: "3" };
  expect(buildRedemptionCreate(generateSchema(words).parse(typed))).toEqual({
    name: "gift",
    quota: 5,
    count: 3,
  });
});
