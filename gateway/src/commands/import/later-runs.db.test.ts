// What became of each kind of row in the source since it was carried: verify says it, and a later
// run follows.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  createFamilyDatabase,
  type FamilyRow,
  type FamilyRows,
} from "@tollgate/tests/support/family-database.ts";
import { runImport } from "@tollgate/tests/support/import-command.ts";
import { rawRows } from "@tollgate/tests/support/raw-rows.ts";
import {
  ruleDatabases,
  type TestDatabase,
  testDatabases,
} from "@tollgate/tests/support/test-databases.ts";
import { describeVariants } from "@tollgate/tests/support/variants.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { auditBooks } from "../../money/audit/audit.ts";

const fates = ["same", "changed", "disabled", "deleted", "hidden"] as const;
type RowFate = (typeof fates)[number];

const idOf = (fate: RowFate): number => 10 + fates.indexOf(fate);

/** Accounts whose rights another hand changes there: role before and after. */
const rights = { lowered: [10, 1], raised: [1, 10], dismissed: [100, 1] } as const;
type RightsAct = keyof typeof rights;
const rightsActs = Object.keys(rights) as RightsAct[];
const idOfRights = (act: RightsAct): number => 30 + rightsActs.indexOf(act);

/**
 * `site` is one row of each kind for each fate; `hidden` is what a program does that only marks a
 * row as deleted.
 */
const site: FamilyRows = {
  users: [
    { id: 1, username: "root", password: "", role: 100 },
    ...fates.map(
      (fate): FamilyRow => ({ id: idOf(fate), username: `user-${fate}`, password: "", quota: 100 }),
    ),
    ...rightsActs.map(
      (act): FamilyRow => ({
        ...{ id: idOfRights(act), username: `user-${act}`, password: "" },
        role: rights[act][0],
      }),
    ),
  ],
  tokens: fates.map((fate) => ({
    id: idOf(fate),
    user_id: idOf("same"),
    key: `key-${fate}`.padEnd(48, "z"),
    name: `token-${fate}`,
    remain_quota: 100,
  })),
  redemptions: fates.map((fate) => ({
    id: idOf(fate),
    user_id: 1,
    key: `code-${fate}`.padEnd(32, "z"),
    name: `code-${fate}`,
    quota: 100,
  })),
  options: [
    { key: "ModelRatio", value: '{"gpt-4o":1}' },
    { key: "CompletionRatio", value: '{"gpt-4o":4}' },
  ],
  channels: fates.map((fate) => ({
    id: idOf(fate),
    type: 1,
    key: `provider-key-${fate}`,
    name: `channel-${fate}`,
    models: "gpt-4o",
  })),
};

const acts = `
  insert into users (id, username, password, quota) values (20, 'user-created', '', 100);
  insert into tokens (id, user_id, "key", name, remain_quota) values (20, 10, 'key-created', 'token-created', 100);
  insert into redemptions (id, user_id, "key", name, quota) values (20, 1, 'code-created', 'code-created', 100);
  insert into channels (id, type, "key", name, models) values (20, 1, 'provider-key-20', 'channel-created', 'gpt-4o');
  update users set quota = 150 where id = ${idOf("changed")};
  update tokens set remain_quota = 150 where id = ${idOf("changed")};
  update redemptions set quota = 150 where id = ${idOf("changed")};
  update channels set models = 'gpt-4o,gpt-4o-mini' where id = ${idOf("changed")};
  ${rightsActs.map((act) => `update users set role = ${rights[act][1]} where id = ${idOfRights(act)};`).join("\n")}
  update users set status = 2 where id = ${idOf("disabled")};
  update tokens set status = 2 where id = ${idOf("disabled")};
  update redemptions set status = 2 where id = ${idOf("disabled")};
  update channels set status = 2 where id = ${idOf("disabled")};
  delete from users where id = ${idOf("deleted")};
  delete from tokens where id = ${idOf("deleted")};
  delete from redemptions where id = ${idOf("deleted")};
  delete from channels where id = ${idOf("deleted")};
  update users set deleted_at = '2026-01-01' where id = ${idOf("hidden")};
  update tokens set deleted_at = '2026-01-01' where id = ${idOf("hidden")};
  update redemptions set deleted_at = '2026-01-01' where id = ${idOf("hidden")};`;

type FollowedRow = "user" | "token" | "code" | "channel";
type SourceAct = "created" | "changed" | "disabled" | "deleted" | "hidden" | RightsAct;
/**
 * `LaterRunCell` is what verify says before the later run, what the run says, what stands here
 * then, and what verify still says.
 */
type LaterRunCell = readonly [
  before: string,
  line: string,
  status: number | undefined,
  after: string,
];

const nouns = { user: "user", token: "key", code: "code", channel: "channel" } as const;

const missing = " is not carried here";
const gone = " is deleted there and enabled here";
const off = ": status is 2 there and 1 here";
const disabled = " is deleted in the source and is disabled here";
/** Rights that were taken there end here, and those that were given there are root's to give. */
const lowered = ": role is 1 there and 10 here";
const kept = " changed in the source since (role); it stays as it was carried";
const table: Readonly<Record<FollowedRow, Partial<Record<SourceAct, LaterRunCell>>>> = {
  user: {
    created: [missing, " has a password that cannot be verified here: it has to be reset", 1, ""],
    changed: [": balance is 150 there and 100 here", "", 1, ""],
    disabled: [off, "", 2, ""],
    deleted: [gone, disabled, 2, ""],
    hidden: [gone, disabled, 2, ""],
    lowered: [lowered, "", 1, ""],
    raised: [": role is 10 there and 1 here", kept, 1, ""],
    dismissed: [lowered, "", 1, ""],
  },
  token: {
    created: [missing, "", 1, ""],
    changed: [": remaining quota is 150 there and 100 here", "", 1, ""],
    disabled: [off, "", 2, ""],
    deleted: [gone, disabled, 2, ""],
    hidden: [gone, disabled, 2, ""],
  },
  code: {
    created: [missing, "", 1, ""],
    changed: [": code is 150 there and 100 here", "", 1, ": code is 150 there and 100 here"],
    disabled: [off, "", 2, ""],
    deleted: [gone, disabled, 2, ""],
    hidden: [gone, disabled, 2, ""],
  },
  // An administrator of this gateway has the channels, once they are carried.
  channel: {
    created: [missing, "", 1, ""],
    changed: ["", " changed in the source since (models); it stays as it was carried", 1, ""],
    disabled: [off, " changed in the source since (status); it stays as it was carried", 1, off],
    deleted: [gone, disabled, 2, ""],
  },
};
const cells = Object.entries(table).flatMap(([kind, row]) =>
  Object.entries(row).map(([act, cell]) => [kind as FollowedRow, act as SourceAct, cell] as const),
);

const isRightsAct = (act: SourceAct): act is RightsAct => Object.hasOwn(rights, act);

const tables = {
  user: "users",
  token: "tokens",
  code: "redemptions",
  channel: "channels",
} as const;

function change(file: string, sql: string): void {
  const source = new DatabaseSync(file);
  source.exec(sql);
  source.close();
}

const about = (lines: readonly string[], subject: RegExp): string =>
  lines
    .filter((line) => subject.test(line))
    .map((line) => line.replace(subject, ""))
    .join("\n");

describeVariants(testDatabases)("a later run into $name", ({ open }) => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-later-"));
  const file = join(folder, "one-api.db");
  let target: TestDatabase;
  const said: Record<"before" | "plan" | "run" | "after", string[]> = {
    before: [],
    plan: [],
    run: [],
    after: [],
  };

  beforeAll(async () => {
    createFamilyDatabase(file, "new-api", site);
    target = await open();
    const run = async (...args: string[]) => (await runImport(target.db, args)).lines;
    await run(file);
    expect((await run("verify", file)).at(-1)).toMatch(/ 0 differences\.$/);
    change(file, acts);
    said.before = await run("verify", file);
    said.plan = await run(file, "--plan", "--all");
    said.run = await run(file, "--all");
    said.after = await run("verify", file);
  });
  afterAll(async () => {
    await target.close();
    rmSync(folder, { recursive: true });
  });

  test.each(cells)("%s that was %s there", async (kind, act, [before, line, status, after]) => {
    const id = act === "created" ? 20 : isRightsAct(act) ? idOfRights(act) : idOf(act);
    const ofVerify = new RegExp(`^${kind} ${id} "${kind}-${act}"`);
    expect(about(said.before, ofVerify)).toBe(before);
    expect(about(said.run, new RegExp(`^[!-] ${nouns[kind]} ${id} "${kind}-${act}"`))).toBe(line);
    const name = kind === "user" ? "username" : "name";
    const [row] = await rawRows<{ status: number }>(
      target.db,
      `select status from ${tables[kind]} where ${name} = '${kind}-${act}'`,
    );
    expect(row?.status).toBe(status);
    expect(about(said.after, ofVerify)).toBe(after);
  });

  test("an administrator of before has the rights here that are left there", async () => {
    const rows = await rawRows<{ username: string; role: number }>(
      target.db,
      `select username, role from users where username in (${rightsActs.map((act) => `'user-${act}'`).join(", ")}) order by id`,
    );
    expect(rows.map(({ username, role }) => [username, role])).toEqual([
      ["user-lowered", 1],
      ["user-raised", 1],
      ["user-dismissed", 1],
    ]);
  });

  test("a plan names the same rows, each disabling is an entry of the record of changes, and the books agree", async () => {
    const deletions = (lines: readonly string[]) =>
      lines.filter((line) => line.includes("is deleted in the source"));
    expect(deletions(said.run)).toHaveLength(7);
    expect(deletions(said.plan)).toEqual(deletions(said.run));
    expect(said.run.join("\n")).not.toContain("was not carried");
    const entries = await rawRows<{ change: string }>(
      target.db,
      "select change from audit_entries where action = 'import.disable' order by id",
    );
    expect(
      entries.map(({ change }) => (JSON.parse(change) as { name: string }).name).sort(),
    ).toEqual(
      [
        "channel-deleted",
        ...["code", "token", "user"].flatMap((kind) => [`${kind}-deleted`, `${kind}-hidden`]),
      ].sort(),
    );
    expect(await auditBooks(target.db)).toEqual([]);
  });
});

describe.each(ruleDatabases)("deletions in the source, into $name", ({ open }) => {
  let folder: string;
  let file: string;
  let target: TestDatabase;
  const run = async (...args: string[]) => (await runImport(target.db, args)).lines;
  const statusOf = async (name: string) =>
    (
      await rawRows<{ status: number }>(
        target.db,
        `select status from tokens where name = '${name}'`,
      )
    )[0]?.status;
  const actions = async (action: string) =>
    (await rawRows(target.db, `select id from audit_entries where action = '${action}'`)).length;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "tollgate-deleted-"));
    file = join(folder, "one-api.db");
    createFamilyDatabase(file, "new-api", site);
    target = await open();
    await run(file);
  });
  afterEach(async () => {
    await target.close();
    rmSync(folder, { recursive: true });
  });

  test("a hash that a sign-in here renewed is no change of a password: that of the source follows", async () => {
    const bcrypt = (salt: string) => `$2a$10$${salt.padEnd(22, "x")}${"h".repeat(31)}`;
    const hashOf = async (name: string) =>
      (
        await rawRows<{ password_hash: string }>(
          target.db,
          `select password_hash from users where username = '${name}'`,
        )
      )[0]?.password_hash;
    const store = (name: string, password_hash: string) =>
      target.db.write([
        {
          query: target.db.sql
            .updateTable("users")
            .set({ password_hash })
            .where("username", "=", name),
        },
      ]);
    await store("user-same", `$argon2id$v=19$m=1,t=1,p=1$AA$AA$carried`);
    await store("user-changed", `$argon2id$v=19$m=1,t=1,p=1$AA$AA`);
    change(
      file,
      `update users set password = '${bcrypt("new")}' where username in ('user-same', 'user-changed')`,
    );
    const lines = await run(file, "--all");
    expect(await hashOf("user-same")).toBe(bcrypt("new"));
    expect(await hashOf("user-changed")).toBe(`$argon2id$v=19$m=1,t=1,p=1$AA$AA`);
    expect(lines.filter((line) => line.includes("(password)"))).toEqual([
      `! user ${idOf("changed")} "user-changed" changed here since it was carried (password), and there too: compare them`,
    ]);
  });

  test("rights that an administrator gave here are named and stay, and an auditor's mark ends with the rights", async () => {
    const set = (name: string, values: object) =>
      target.db.write([
        {
          query: target.db.sql.updateTable("users").set(values).where("username", "=", name),
          rows: 1,
        },
      ]);
    await set("user-lowered", { read_only: 1 });
    await set("user-same", { role: 10, updated_at: Date.now() + 1_000 });
    await set("user-dismissed", { role: 100 });
    change(file, acts);
    change(file, `update users set "group" = 'vip' where username = 'user-same'`);
    const about = (lines: readonly string[], name: string) =>
      lines.filter((line) => line.includes(`"${name}"`)).join("\n");
    const lines = await run(file, "--all");
    expect(about(lines, "user-same")).toContain(
      "changed here since it was carried (role), and there too: compare them",
    );
    const verified = await run("verify", file);
    expect(about(verified, "user-same")).toContain(lowered);
    expect(about(verified, "user-dismissed")).toContain(": role is 1 there and 100 here");
    const rows = await rawRows<{ username: string; role: number; read_only: number }>(
      target.db,
      "select username, role, read_only from users where username in ('user-lowered', 'user-same', 'user-dismissed') order by username",
    );
    expect(rows.map(({ username, role, read_only }) => [username, role, read_only])).toEqual([
      ["user-dismissed", 100, 0],
      ["user-lowered", 1, 0],
      ["user-same", 10, 0],
    ]);
  });

  test("what was changed here since it was carried stays, with a line, and so does root", async () => {
    await target.db.write([
      {
        query: target.db.sql
          .updateTable("tokens")
          .set((eb) => ({ models: "gpt-4o", updated_at: eb("updated_at", "+", 1) }))
          .where("name", "=", "token-deleted"),
        rows: 1,
      },
      {
        query: target.db.sql
          .updateTable("users")
          .set({ role: 100 })
          .where("username", "=", "user-deleted"),
        rows: 1,
      },
    ]);
    change(file, acts);
    const lines = await run(file, "--all");
    expect(lines).toContain(
      '! key 13 "token-deleted" is deleted in the source and stays as it is here (changed here): disable it, or keep it',
    );
    expect(lines).toContain(
      '! user 13 "user-deleted" is deleted in the source and stays as it is here (root): disable it, or keep it',
    );
    expect(await statusOf("token-deleted")).toBe(1);
    expect(
      (await run("verify", file)).filter((line) =>
        line.includes(" is deleted there and enabled here"),
      ),
    ).toEqual([
      'user 13 "user-deleted" is deleted there and enabled here',
      'token 13 "token-deleted" is deleted there and enabled here',
    ]);
  });

  test("one act undoes all of it, but for what was changed since, and later runs leave it", async () => {
    change(file, acts);
    await run(file);
    await target.db.write([
      {
        query: target.db.sql
          .updateTable("tokens")
          .set((eb) => ({ models: "gpt-4o", updated_at: eb("updated_at", "+", 1) }))
          .where("name", "=", "token-hidden"),
        rows: 1,
      },
    ]);
    const undone = await run("--undo-deletions");
    expect(undone).toContain(
      '! token 14 "token-hidden" changed here since it was disabled, and stays as it is',
    );
    expect(undone.at(-1)).toBe("6 enabled, 1 left.");
    expect([await statusOf("token-deleted"), await statusOf("token-hidden")]).toEqual([1, 2]);
    expect(await actions("import.enable")).toBe(6);
    expect((await run("--undo-deletions")).at(-1)).toBe("0 enabled, 1 left.");
    expect(await run(file, "--all")).toContain(
      '! key 13 "token-deleted" is deleted in the source and stays as it is here (undone): disable it, or keep it',
    );
    expect(await statusOf("token-deleted")).toBe(1);
  });

  test("what is in the source again stays disabled, with a line", async () => {
    change(file, "update tokens set deleted_at = '2026-01-01' where id = 13");
    await run(file);
    change(file, "update tokens set deleted_at = null where id = 13");
    expect(await run(file)).toContain(
      '- key 13 "token-deleted" is in the source again and stays disabled here: enable it, or leave it',
    );
    expect(await statusOf("token-deleted")).toBe(2);
  });

  test("after the change-over nothing is followed", async () => {
    await run(file, "--cut-over");
    change(file, acts);
    expect(await run(file)).toContain(
      "- source main was cut over: what is deleted there since stays as it is here (2 of user, 2 of token, 2 of code, 1 of channel)",
    );
    expect(await actions("import.disable")).toBe(0);
  });

  test("another system with the same row numbers disables nothing", async () => {
    const other = join(folder, "other.db");
    const keys = (rows: readonly FamilyRow[] = []) =>
      rows.slice(0, 3).map((row) => ({ ...row, key: `other-${row.key}` }));
    createFamilyDatabase(other, "new-api", {
      ...site,
      tokens: keys(site.tokens),
      redemptions: keys(site.redemptions),
    });
    expect((await run(other)).join("\n")).toContain(
      "! source main lacks rows that were carried (2 of token, 2 of code), and no key, code or password in it is one",
    );
    expect(await statusOf("token-deleted")).toBe(1);
  });
});

describe.each(ruleDatabases)("many deletions in the source, into $name", ({ open }) => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-many-"));
  let target: TestDatabase;
  const disabledCount = async () =>
    (await rawRows(target.db, "select id from tokens where status = 2")).length;
  const run = async (...args: string[]) => (await runImport(target.db, args)).lines;

  beforeAll(async () => {
    target = await open();
  });
  afterAll(async () => {
    await target.close();
    rmSync(folder, { recursive: true });
  });

  test.each([
    // Of 100 keys, 20 are more than 5 %.
    { keys: 100, deleted: 20, isAsked: false },
    { keys: 100, deleted: 21, isAsked: true },
    { keys: 500, deleted: 25, isAsked: false },
    { keys: 500, deleted: 26, isAsked: true },
  ])(
    "$deleted of $keys keys: the operator is asked: $isAsked",
    async ({ keys, deleted, isAsked }) => {
      const name = `site-${keys}-${deleted}`;
      const file = join(folder, `${name}.db`);
      const before = await disabledCount();
      const tokens = Array.from({ length: keys }, (_, index) => ({
        id: index + 1,
        user_id: 10,
        key: `${name}-${index}`.padEnd(48, "z"),
        name: `key ${index}`,
        unlimited_quota: 1,
      }));
      createFamilyDatabase(file, "new-api", {
        users: [{ id: 10, username: name, password: "" }],
        tokens,
      });
      const named = [file, "--name", name];
      await run(...named);
      change(file, `delete from tokens where id <= ${deleted}`);
      const listed = (lines: readonly string[]) =>
        lines.filter((line) => line.endsWith("and is disabled here")).length;
      expect(listed(await run(...named, "--plan"))).toBe(deleted);
      const refusal = `! source ${name} has deleted more than 20 rows and 5 % of a kind that were carried (${deleted} of token); nothing was disabled here: look at them with --plan, then run again with --follow-deletions=${deleted}`;
      const first = await run(...named);
      expect([first.includes(refusal), listed(first)]).toEqual([isAsked, isAsked ? 0 : deleted]);
      expect(await disabledCount()).toBe(before + (isAsked ? 0 : deleted));
      if (!isAsked) return;
      expect(await run(...named, "--follow-deletions", String(deleted - 1))).toContain(refusal);
      expect(listed(await run(...named, "--follow-deletions", String(deleted)))).toBe(deleted);
      expect(await disabledCount()).toBe(before + deleted);
    },
  );
});
