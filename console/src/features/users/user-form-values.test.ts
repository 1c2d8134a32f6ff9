import type { User } from "@tollgate/contract/accounts/users.ts";
import { expect, test } from "vitest";
import {
  buildTopUpBody,
  buildUserCreate,
  buildUserForm,
  buildUserUpdate,
  defineQuickUserSchema,
  defineTopUpSchema,
  defineUserFormSchema,
  newUser,
  type UserFormValues,
} from "./user-form-values.ts";

const words = {
  usernameMissing: "no name",
  usernameShort: "short name",
  email: "no email",
  passwordShort: "short password",
  passwordLong: "long password",
  quota: "no quota",
  group: "no group",
};
const user: User = {
  id: 7,
  uuid: "0199aa10-1111-7000-8000-0000000000aa",
  username: "mira",
  display_name: "Mira",
  role: 1,
  status: 1,
  email: "mira@example.org",
  github_id: "",
  wechat_id: "",
  lark_id: "",
  oidc_id: "",
  quota: 123_456,
  used_quota: 5,
  request_count: 2,
  group: "vip",
  aff_code: "",
  inviter_uuid: null,
  mcp_tool_blacklist: [],
  metadata: {},
  must_change_password: false,
  created_time: 1_795_100_000,
  external_id: "",
  created_at: 1_795_100_000_123,
  updated_at: 1_795_100_500_456,
};

const issueOf = (
  schema: ReturnType<typeof defineUserFormSchema>,
  change: Partial<UserFormValues>,
) =>
  schema
    .safeParse({ ...newUser, username: "mira", password: "secret", ...change })
    .error?.issues.map(({ message }) => message);

test("opening and saving a user changes nothing, and an empty password is not sent", () => {
  const checked = defineUserFormSchema(words, false).parse(buildUserForm(user));
  expect(buildUserUpdate(checked, user)).toEqual({
    id: 7,
    uuid: user.uuid,
    username: "mira",
    display_name: "Mira",
    email: "mira@example.org",
    group: "vip",
    quota: 123_456,
    quota_read: 123_456,
    updated_at: user.updated_at,
  });
  expect(buildUserUpdate({ ...checked, password: "longer than six" }, user)).toMatchObject({
    password: "longer than six",
  });
  const admin = { ...user, read_only: false };
  expect(buildUserUpdate({ ...checked, read_only: true }, admin)).toMatchObject({
    read_only: true,
  });
  // A server that knows no auditors is told of none.
  expect(buildUserUpdate({ ...checked, read_only: true }, user)).not.toHaveProperty("read_only");
});

test("the quota of an unlimited account of a compatible server is never sent", () => {
  const unlimited = { ...user, quota: -1 };
  const change = buildUserUpdate(
    defineUserFormSchema(words, false).parse(buildUserForm(unlimited)),
    unlimited,
  );
  expect(change).not.toHaveProperty("quota");
  expect(change).not.toHaveProperty("quota_read");
});

test.each<[Partial<UserFormValues>, string[] | undefined]>([
  [{}, undefined],
  [{ username: " ab " }, ["short name"]],
  [{ email: "mira@" }, ["no email"]],
  [{ email: "" }, undefined],
  [{ email: " mira@example.org " }, undefined],
  [{ quota: "-1" }, ["no quota"]],
  [{ quota: "1.5" }, ["no quota"]],
  [{ quota: "" }, ["no quota"]],
  [{ quota: "9".repeat(20) }, ["no quota"]],
  [{ group: "" }, ["no group"]],
  [{ password: "12345" }, ["short password"]],
  [{ password: "1".repeat(129) }, ["long password"]],
])("a new user with %j is refused with %j", (change, messages) => {
  expect(issueOf(defineUserFormSchema(words, true), change)).toEqual(messages);
});

test("a new user requires a password, an edited one does not", () => {
  expect(issueOf(defineUserFormSchema(words, true), { password: "" })).toEqual(["short password"]);
  expect(issueOf(defineUserFormSchema(words, false), { password: "" })).toBeUndefined();
  expect(issueOf(defineUserFormSchema(words, false), { password: "12345" })).toEqual([
    "short password",
  ]);
});

test("a creation sends the typed values, with the quota as a number", () => {
  const typed = { ...newUser, username: " mira ", password: " six ok", quota: "500" };
  expect(buildUserCreate(defineUserFormSchema(words, true).parse(typed))).toEqual({
    username: "mira",
    password: " six ok",
    display_name: "",
    email: "",
    quota: 500,
    group: "default",
  });
});

test("the dialog requires a name of any length and a password of six characters", () => {
  const messages = (typed: object) =>
    defineQuickUserSchema(words)
      .safeParse({ username: "m", password: "123456", display_name: "", ...typed })
      .error?.issues.map(({ message }) => message);
  expect(messages({})).toBeUndefined();
  expect(messages({ username: " ", password: "12345" })).toEqual(["no name", "short password"]);
});

test("a top-up sends both ids of the account and a whole number", () => {
  const checked = defineTopUpSchema("no quota").parse({ quota: " 500 ", remark: " gift " });
  expect(buildTopUpBody(checked, user)).toEqual({
    user_id: 7,
    user_uuid: user.uuid,
    quota: 500,
    remark: "gift",
  });
  for (const quota of ["", "x", "-1", "0.5"])
    expect(defineTopUpSchema("no quota").safeParse({ quota, remark: "" }).success, quota).toBe(
      false,
    );
});
