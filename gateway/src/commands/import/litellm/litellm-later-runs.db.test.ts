// What became of each kind of row in LiteLLM since it was carried: verify says it, and a later run
// follows.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dropDatabase } from "@tollgate/tests/harness/postgres-cluster.ts";
import { runImport } from "@tollgate/tests/support/import-command.ts";
import {
  createLitellmDatabase,
  hashOfLitellmKey,
  type LitellmRow,
  litellmEnvironment,
  withLitellm,
} from "@tollgate/tests/support/litellm-database.ts";
import { rawRows } from "@tollgate/tests/support/raw-rows.ts";
import { ruleDatabases, type TestDatabase } from "@tollgate/tests/support/test-databases.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const fates = ["same", "changed", "disabled", "deleted"] as const;
type LitellmFate = (typeof fates)[number] | "created";

const secretOf = (fate: LitellmFate): string => `sk-${fate}-0123456789abcdef`;
const model = (fate: LitellmFate, more: object = {}): LitellmRow => ({
  model_id: `m-${fate}`,
  model_name: `model-${fate}`,
  litellm_params: {
    model: "openai/gpt-4o",
    api_base: `https://${fate}.example.com`,
    api_key: fate === "deleted" ? "os.environ/KEY_OF_DELETED" : `provider-key-${fate}`,
    ...more,
  },
  model_info: {},
});

const site = {
  LiteLLM_UserTable: [
    ...fates.map((fate) => ({ user_id: `u-${fate}`, user_alias: `user-${fate}`, user_role: "" })),
    { user_id: "u-lowered", user_alias: "user-lowered", user_role: "proxy_admin" },
    { user_id: "u-raised", user_alias: "user-raised", user_role: "internal_user" },
  ].map((user) => ({ ...user, max_budget: 1, spend: 0 })),
  LiteLLM_TeamTable: [...fates, "rights"].map((name) => ({
    team_id: `t-${name}`,
    team_alias: `team-${name}`,
    members_with_roles: JSON.stringify([
      { role: "admin", user_id: "u-same" },
      { role: "user", user_id: "u-changed" },
      ...(name === "rights"
        ? [
            { role: "admin", user_id: "u-lowered" },
            { role: "user", user_id: "u-raised" },
          ]
        : []),
    ]),
    max_budget: 1,
    spend: 0,
  })),
  LiteLLM_VerificationToken: fates.map((fate) => ({
    token: hashOfLitellmKey(secretOf(fate)),
    key_name: "sk-...cdef",
    key_alias: `token-${fate}`,
    user_id: "u-same",
    max_budget: 1,
    spend: 0,
  })),
  LiteLLM_ProxyModelTable: fates.map((fate) => model(fate)),
};

const acts = `
  insert into "LiteLLM_UserTable" (user_id, user_alias, max_budget, spend) values ('u-created', 'user-created', 1, 0);
  insert into "LiteLLM_VerificationToken" (token, key_name, key_alias, user_id, max_budget, spend)
    values ('${hashOfLitellmKey(secretOf("created"))}', 'sk-...cdef', 'token-created', 'u-same', 1, 0);
  insert into "LiteLLM_ProxyModelTable" (model_id, model_name, litellm_params, model_info)
    select 'm-created', 'model-created', replace(litellm_params::text, 'same', 'created')::jsonb, '{}'
    from "LiteLLM_ProxyModelTable" where model_id = 'm-same';
  update "LiteLLM_UserTable" set spend = 0.5 where user_id = 'u-changed';
  update "LiteLLM_VerificationToken" set spend = 0.5 where key_alias = 'token-changed';
  update "LiteLLM_ProxyModelTable" set litellm_params = litellm_params || '{"api_key":"another-key-of-it"}'
    where model_id = 'm-changed';
  insert into "LiteLLM_TeamTable" (team_id, team_alias, max_budget, spend) values ('t-created', 'team-created', 1, 0);
  update "LiteLLM_TeamTable" set spend = 0.5, members_with_roles =
    '[{"role": "admin", "user_id": "u-same"}, {"role": "user", "user_id": "u-disabled"}]' where team_id = 't-changed';
  update "LiteLLM_UserTable" set user_role = 'internal_user' where user_id = 'u-lowered';
  update "LiteLLM_UserTable" set user_role = 'proxy_admin' where user_id = 'u-raised';
  update "LiteLLM_TeamTable" set members_with_roles = '[{"role": "user", "user_id": "u-same"},
    {"role": "user", "user_id": "u-changed"}, {"role": "user", "user_id": "u-lowered"},
    {"role": "admin", "user_id": "u-raised"}]' where team_id = 't-rights';
  update "LiteLLM_TeamTable" set blocked = true where team_id = 't-disabled';
  update "LiteLLM_VerificationToken" set blocked = true where key_alias = 'token-disabled';
  update "LiteLLM_ProxyModelTable" set blocked = true where model_id = 'm-disabled';
  delete from "LiteLLM_UserTable" where user_id = 'u-deleted';
  delete from "LiteLLM_TeamTable" where team_id = 't-deleted';
  delete from "LiteLLM_VerificationToken" where key_alias = 'token-deleted';
  delete from "LiteLLM_ProxyModelTable" where model_id = 'm-deleted';`;

const gone = " is deleted there and enabled here";
const off = ": status is 2 there and 1 here";
const disabled = "is deleted in the source and is disabled here";
/**
 * Of channels, whose name has a part of its own, and of the rest: what verify says before, what the
 * run says, what is enabled here.
 */
const cells = [
  ["user", "user-created", " is not carried here", "", [1]],
  [
    "user",
    "user-changed",
    ": balance is 250000 there and 500000 here\n: used quota is 250000 there and 0 here",
    "",
    [1],
  ],
  ["user", "user-deleted", gone, disabled, [2]],
  ["user", "user-lowered", ": role is 1 there and 10 here", "", [1]],
  ["user", "user-raised", ": role is 10 there and 1 here", "", [1]],
  ["team", "team-created", " is not carried here", "", [1]],
  [
    "team",
    "team-changed",
    ": balance is 250000 there and 500000 here\n: members is member u-disabled there and not carried here\n: members is without u-changed there and with u-changed here",
    "",
    [1],
  ],
  [
    "team",
    "team-rights",
    ": members is member u-lowered there and admin u-lowered here\n: members is member u-same there and admin u-same here\n: members is admin u-raised there and member u-raised here",
    "",
    [1],
  ],
  ["team", "team-disabled", off, "", [2]],
  ["team", "team-deleted", gone, disabled, [2]],
  ["token", "token-created", " is not carried here", "", [1]],
  [
    "token",
    "token-changed",
    ": used quota is 250000 there and 0 here\n: remaining quota is 250000 there and 500000 here",
    "",
    [1],
  ],
  ["token", "token-disabled", off, "", [2]],
  ["token", "token-deleted", gone, disabled, [2]],
  ["channel", "created.example.com", " is not carried here", "", [1]],
  // A model with another key is another channel, and so is one that is blocked.
  ["channel", "changed.example.com", ` is not carried here\n${gone}`, disabled, [2, 1]],
  ["channel", "disabled.example.com", ` is not carried here\n${gone}`, disabled, [2, 2]],
  ["channel", "deleted.example.com", gone, disabled, [2]],
] as const;

const tables = {
  user: ["users", "username"],
  team: ["teams", "name"],
  token: ["tokens", "name"],
  channel: ["channels", "name"],
} as const;
const environment = { ...litellmEnvironment, KEY_OF_DELETED: "provider-key-of-it" };

describe.skipIf(!process.env.TEST_POSTGRES_URL).each(ruleDatabases)(
  "a later run of LiteLLM into $name",
  ({ open }) => {
    const folder = mkdtempSync(join(tmpdir(), "tollgate-litellm-later-"));
    let source: string;
    let target: TestDatabase;
    const said: Record<"before" | "withoutVariables" | "run" | "after", string[]> = {
      before: [],
      withoutVariables: [],
      run: [],
      after: [],
    };
    const runWith = async (variables: NodeJS.ProcessEnv, ...args: string[]) =>
      (await runImport(target.db, args, { source, environment: variables })).lines;
    const run = (...args: string[]) => runWith(environment, ...args);

    beforeAll(async () => {
      source = await createLitellmDatabase(site);
      target = await open();
      await run();
      expect((await run("verify")).at(-1)).toMatch(/ 0 differences\.$/);
      // Neither the master key nor a channel is deleted because its variable is not given.
      said.withoutVariables = await runWith(
        { LITELLM_SALT_KEY: litellmEnvironment.LITELLM_SALT_KEY },
        "--all",
      );
      await withLitellm(source, (client) => client.query(acts));
      said.before = await run("verify");
      said.run = await run("--all");
      said.after = await run("verify");
    });
    afterAll(async () => {
      await target.close();
      await dropDatabase(source);
      rmSync(folder, { recursive: true });
    });

    test.each(cells)("%s %s", async (kind, name, before, line, statuses) => {
      const ofVerify = new RegExp(`^${kind} \\S+ "[^"]*${name}[^"]*"`);
      const found = said.before
        .filter((text) => ofVerify.test(text))
        .map((text) => text.replace(ofVerify, ""));
      expect(found.join("\n")).toBe(before);
      expect(said.run.some((text) => text.includes(name) && text.includes(disabled))).toBe(
        line !== "",
      );
      const [table, column] = tables[kind];
      const rows = await rawRows<{ status: number }>(
        target.db,
        `select status from ${table} where ${column} like '%${name}%' order by id`,
      );
      expect(rows.map(({ status }) => status)).toEqual(statuses);
    });

    test("then nothing differs but who left a team there and its owner's rights, which lines of the run say", () => {
      expect(said.after.filter((line) => line.includes("members"))).toEqual([
        'team t-changed "team-changed": members is without u-changed there and with u-changed here',
        'team t-rights "team-rights": members is member u-same there and admin u-same here',
      ]);
      expect(said.after.at(-1)).toMatch(/ 2 differences\.$/);
      const others = "has other members in the source since, who stay as they are here: ";
      for (const ids of ["u-changed", "u-same, u-raised"])
        expect(said.run.join("\n")).toContain(others + ids);
    });

    test("rights that were taken there ended here, and those that were given there are named", async () => {
      const accounts = await rawRows<{ role: number }>(
        target.db,
        "select role from users where username in ('user-lowered', 'user-raised') order by username",
      );
      expect(accounts.map(({ role }) => role)).toEqual([1, 1]);
      expect(said.run.join("\n")).toMatch(
        /user-raised" changed in the source since \(role\); it stays as it was carried/,
      );
      const members = await rawRows<{ username: string; role: string }>(
        target.db,
        `select users.username, team_members.role from team_members
          join teams on teams.id = team_members.team_id join users on users.id = team_members.user_id
          where teams.name = 'team-rights' order by users.username`,
      );
      expect(members.map(({ username, role }) => `${username} ${role}`)).toEqual([
        "user-changed member",
        "user-lowered member",
        "user-raised member",
        "user-same admin",
      ]);
    });

    test("what a variable hides is not deleted, and the line says so", () => {
      const lines = said.withoutVariables.filter((line) =>
        /is deleted|was not read whole/.test(line),
      );
      expect(lines).toEqual([
        "! source main was not read whole, as in earlier runs: what it lacks was not disabled here (1 of channel); give the same config.yaml and variables",
      ]);
    });

    test("a run without the config.yaml of an earlier one leaves the channels of that file", async () => {
      const config = join(folder, "config.yaml");
      writeFileSync(
        config,
        "model_list:\n- model_name: in-the-file\n  litellm_params: {model: openai/x, api_base: 'https://file.example.com', api_key: key-of-it}\n",
      );
      await run("--config", config);
      expect((await run()).join("\n")).toContain(
        "was not read whole, as in earlier runs: what it lacks was not disabled",
      );
      const status = () =>
        rawRows(target.db, "select status from channels where name like '%file.example.com%'");
      expect(await status()).toEqual([{ status: 1 }]);
      writeFileSync(config, "model_list: []\n");
      await run("--config", config);
      expect(await status()).toEqual([{ status: 2 }]);
    });

    test("a team whose account an earlier version made goes on as that account, and the line says how it becomes a team", async () => {
      await target.db.write([
        {
          query: target.db.sql
            .updateTable("imported")
            .set({
              ...{ entity: "user", source_id: "team:t-created" },
              state: JSON.stringify({ balance: 0, used: 0, requests: 0 }),
            })
            .where("entity", "=", "team")
            .where("source_id", "=", "t-created"),
          rows: 1,
        },
      ]);
      const lines = await run("--all", "--plan");
      expect(lines.join("\n")).toMatch(
        /^- user team:t-created "team-team-created" is a team, and stays the account/m,
      );
      expect(lines.find((line) => line.startsWith("team:"))).toMatch(/^team: 0 carried/);
    });
  },
);
