import { dropDatabase } from "@tollgate/tests/harness/postgres-cluster.ts";
import { runImport } from "@tollgate/tests/support/import-command.ts";
import {
  awkwardLitellmRows,
  createLitellmDatabase,
  hashOfLitellmKey,
  litellmEnvironment,
  litellmKeys,
  litellmSalt,
  withLitellm,
} from "@tollgate/tests/support/litellm-database.ts";
import { rawRows } from "@tollgate/tests/support/raw-rows.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { auditBooks } from "../../../money/audit/audit.ts";

const unlimitedAs = 7_000_000;

describe.skipIf(!process.env.TEST_POSTGRES_URL).each(testDatabases)(
  "LiteLLM into $name",
  ({ open }) => {
    let source: string;
    let target: TestDatabase;
    const runWith = async (variables: Record<string, string>, ...args: string[]) => {
      return await runImport(target.db, [...args, "--unlimited-as", String(unlimitedAs)], {
        source,
        environment: variables,
      });
    };
    const run = (...args: string[]) => runWith(litellmEnvironment, ...args);
    const rows = <Row>(text: string) => rawRows<Row>(target.db, text);

    beforeAll(async () => {
      source = await createLitellmDatabase(awkwardLitellmRows());
      target = await open();
    });
    afterAll(async () => {
      await target.close();
      await dropDatabase(source);
    });

    test.each([{}, { LITELLM_SALT_KEY: "another salt" }])(
      "without its salt key nothing is written: %j",
      async (variables) => {
        const { code, lines } = await runWith(variables);
        expect(code).toBe(1);
        expect(lines.at(-1)).toContain("set LITELLM_SALT_KEY");
        expect(await rows("select id from users")).toEqual([]);
      },
    );

    test("a plan names what would be carried and writes nothing, and the run keeps to it", async () => {
      const plan = await run("--plan", "--all");
      expect(plan.lines).toContain("Nothing was written: this is the plan.");
      expect(await rows("select id from users")).toEqual([]);
      const { code, lines } = await run("--all");
      expect(lines).toContain("The books agree.");
      expect(code).toBe(2);
      const losses = (all: readonly string[]) => all.filter((line) => /^[-!]/.test(line));
      expect(losses(lines)).toEqual(losses(plan.lines));
      expect(await auditBooks(target.db)).toEqual([]);
      expect(losses(lines).join("\n")).toMatch(/set NOT_SET_ANYWHERE as LiteLLM has it/);
      expect(losses(lines).join("\n")).toMatch(
        /^! key \S+ "routes" calls models by names of its own, which are refused here: m1 \(gpt-db\)/m,
      );
      for (const told of [
        /^! team t2 "closed" has no admin there: root owns it here/m,
        /^- team t1 "research" names members who have no account there: who-is-gone$/m,
        /^- team t1 "research" has 1 members whom its list does not name/m,
        /^! team t1 "research" has budgets of single members, .*0 here: 11111111-aaaa-4bbb-8ccc-000000000001$/m,
        /^! team t1 "research" has budgets of members that cannot be told here and end: 11111111-aaaa-4bbb-8ccc-000000000002$/m,
      ])
        expect(losses(lines).join("\n")).toMatch(told);
      expect(losses(lines).join("\n")).toMatch(
        /litellm_settings.guardrails .*protected the source/,
      );
      for (const secret of [
        "provider-key",
        "sk-alice",
        litellmKeys.master,
        litellmSalt,
        "scrypt:",
        "e3b0c442",
      ])
        expect(lines.join("\n")).not.toContain(secret);
      expect((await run("verify")).lines.at(-1)).toMatch(/ 0 differences\.$/);
    });

    test("budgets are balances, and what was spent is a counter", async () => {
      const users = await rows<{
        username: string;
        balance: number;
        debt: number;
        used_quota: number;
        role: number;
      }>(
        "select username, balance, debt, used_quota, role from users join wallets on wallets.id = users.wallet_id",
      );
      const byName = Object.fromEntries(
        users.map(({ username, balance, debt, used_quota, role }) => [
          username,
          [balance, debt, used_quota, role],
        ]),
      );
      const [suffixed = ""] = Object.keys(byName).filter((name) =>
        /^alice-[0-9a-f]{8}$/.test(name),
      );
      expect(byName).toMatchObject({
        alice: [3_750_000, 0, 1_250_000, 1],
        [suffixed]: [499_999, 0, 1, 1],
        admin: [unlimitedAs, 0, 0, 10],
        bob: [0, 0, 2_500_000, 1],
        litellm: [unlimitedAs, 0, 0, 1],
      });
      expect(Object.keys(byName).filter((name) => name.startsWith("team-"))).toEqual([]);
    });

    const teamId = async (name: string) =>
      (await rows<{ id: number }>(`select id from teams where name = '${name}'`))[0]?.id;

    test("teams are teams: their wallet, models, limits, people with roles, and who limits whom", async () => {
      const teams = await rows<Record<string, unknown>>(
        `select name, models, rpm_limit, teams.status, balance, users.username as owner from teams
         join wallets on wallets.id = teams.wallet_id join users on users.id = teams.owner_id order by teams.id`,
      );
      expect(teams).toEqual([
        {
          ...{ name: "research", models: "sim-model,other", rpm_limit: 600, status: 1 },
          ...{ balance: 49_500_000, owner: "alice" },
        },
        {
          ...{ name: "closed", models: "", rpm_limit: 0, status: 2 },
          ...{ balance: unlimitedAs, owner: "root" },
        },
      ]);
      const members = await rows<{ username: string; role: string; amount: number | null }>(
        `select username, team_members.role, budgets.amount, budgets."window" from team_members
         join users on users.id = team_members.user_id
         left join budgets on budgets.subject = 'member' and budgets.subject_id = team_members.id
         where team_id = ${await teamId("research")} order by team_members.id`,
      );
      expect(members.map(({ role, amount }) => [role, amount])).toEqual([
        ["admin", 10_000_000],
        ["member", null],
        ["member", null],
      ]);
      expect(members[0]).toMatchObject({ username: "alice", window: "days:30" });
      // Bob has a key of it, and is not in its list.
      expect(members[2]).toMatchObject({ username: "bob" });
    });

    test("keys have their hash, their limits, and never more than before", async () => {
      const tokens = await rows<Record<string, unknown>>(
        `select tokens.name, username, key_hash, key_sealed, key_ending, tokens.status, remain_quota, unlimited_quota, models,
         rpm_limit, tpm_limit, team_id, service from tokens left join users on users.id = tokens.user_id`,
      );
      const byName = new Map(tokens.map((token) => [token.name, token]));
      expect(byName.get("alice's key")).toMatchObject({
        username: "alice",
        key_hash: hashOfLitellmKey(litellmKeys.alice),
        key_sealed: "",
        key_ending: "cdef",
        status: 1,
        unlimited_quota: 1,
        models: "",
      });
      expect(byName.get("sk-...am-1")).toMatchObject({
        username: "bob",
        models: "sim-model",
        status: 1,
        service: 0,
        team_id: await teamId("research"),
      });
      expect(byName.get("empty")).toMatchObject({
        ...{ username: null, service: 1, team_id: await teamId("research") },
      });
      expect(byName.get("limited")).toMatchObject({
        username: "bob",
        models: "sim-model",
        remain_quota: 500_000,
        unlimited_quota: 0,
        rpm_limit: 5,
        tpm_limit: 1_000_000_000,
      });
      expect(byName.get("master key")).toMatchObject({
        username: "litellm",
        status: 1,
        models: "",
      });
      const statuses = ["blocked", "routes", "empty", "spent"].map(
        (name) => byName.get(name)?.status,
      );
      expect(statuses).toEqual([2, 2, 2, 4]);
      expect(byName.has("session")).toBe(false);
    });

    test("channels have the provider's key, address, names and prices", async () => {
      const channels = await rows<Record<string, string>>(
        "select type, base_url, models, model_mapping, model_configs from channels",
      );
      expect(channels.map(({ models }) => models).sort()).toEqual([
        "anthropic/*",
        "claude",
        "sim-model",
      ]);
      expect(channels.find(({ models }) => models === "sim-model")).toMatchObject({
        type: 50,
        base_url: "http://127.0.0.1:9/v1",
        model_mapping: null,
        model_configs: '{"sim-model":{"ratio":1.25,"completion_ratio":4}}',
      });
      expect(channels.find(({ models }) => models === "claude")).toMatchObject({
        type: 14,
        model_mapping: '{"claude":"claude-x"}',
      });
    });

    test("a second run changes nothing, and a later one carries what was spent and created since", async () => {
      const again = await run();
      expect(again.lines.filter((line) => /^(user|token|channel):/.test(line)).join()).not.toMatch(
        /[1-9]\d* (carried|updated)/,
      );
      await withLitellm(source, (client) =>
        client.query(`update "LiteLLM_UserTable" set spend = spend + 0.5 where user_alias = 'alice' and spend > 1;
        update "LiteLLM_VerificationToken" set spend = spend + 0.5, blocked = true where key_alias = 'limited'`),
      );
      const later = await run();
      expect(later.lines).toContain("The books agree.");
      expect(
        await rows(
          "select balance from users join wallets on wallets.id = wallet_id where username = 'alice'",
        ),
      ).toEqual([{ balance: 3_500_000 }]);
      expect(
        await rows("select status, remain_quota, used_quota from tokens where name = 'limited'"),
      ).toEqual([{ status: 2, remain_quota: 250_000, used_quota: 500_000 }]);
      expect((await run("verify")).lines.at(-1)).toMatch(/ 0 differences\.$/);
    });
  },
);
