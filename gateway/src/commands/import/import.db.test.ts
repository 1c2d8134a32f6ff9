import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { buildOidcAccountProvider } from "@tollgate/contract/accounts/external-sign-in.ts";
import {
  awkwardRows,
  createFamilyDatabase,
  type FamilySystem,
  insertRows,
} from "@tollgate/tests/support/family-database.ts";
import { runImport } from "@tollgate/tests/support/import-command.ts";
import { describeLarge } from "@tollgate/tests/support/large-tests.ts";
import { rawRows } from "@tollgate/tests/support/raw-rows.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { describeVariants } from "@tollgate/tests/support/variants.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { auditBooks } from "../../money/audit/audit.ts";

const runOn = ({ db }: TestDatabase, ...args: string[]) => runImport(db, args);

describeVariants(testDatabases)("import into $name", ({ open }) => {
  describeLarge<FamilySystem>(["new-api", "one-api", "laisky-one-api"])("from %s", (system) => {
    let folder: string;
    let file: string;
    let target: TestDatabase;
    const run = (...args: string[]) => runOn(target, ...args);
    const rows = <Row>(text: string) => rawRows<Row>(target.db, text);

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "tollgate-import-"));
      file = join(folder, "one-api.db");
      createFamilyDatabase(file, system, awkwardRows(system));
      target = await open();
    });
    afterAll(async () => {
      await target.close();
      rmSync(folder, { recursive: true });
    });

    test("a plan names what would be carried and writes nothing", async () => {
      const plan = await run(file, "--plan");
      expect(plan.code).toBe(2);
      expect(plan.lines).toContain("Nothing was written: this is the plan.");
      expect(await rows("select id from users")).toEqual([]);
      expect(await rows("select source_id from imported")).toEqual([]);
    });

    test("--keep-root with a name that no root of the source has is refused before anything is written", async () => {
      const { code, lines } = await run(file, "--keep-root", "rooot");
      expect(code).toBe(1);
      expect(lines.at(-1)).toBe(
        'Refused: --keep-root names no enabled account of role 100: "rooot"; nothing was written.',
      );
      expect(await rows("select id from users")).toEqual([]);
    });

    test("prices that a running server answered are in no line any more", async () => {
      const answer = join(folder, "prices.json");
      const unsaved = { m: 2, "claude-3-5-sonnet": 1.5 };
      const [ModelRatio, CompletionRatio] = [
        JSON.stringify(unsaved),
        JSON.stringify({ m: 1, "claude-3-5-sonnet": 5 }),
      ];
      const data = Object.entries({ ModelRatio, CompletionRatio }).map(([key, value]) => ({
        key,
        value,
      }));
      writeFileSync(answer, JSON.stringify({ success: true, data }));
      const { code, lines } = await run(file, "--plan", "--all", "--prices-from", answer);
      if (system === "laisky-one-api")
        expect([code, lines.at(-1)]).toEqual([1, expect.stringMatching(/^Refused: .*by channel/)]);
      else expect(lines.filter((line) => line.includes("whose price is not stored"))).toEqual([]);
      writeFileSync(answer, "<html>");
      expect((await run(file, "--plan", "--prices-from", answer)).lines.at(-1)).toMatch(
        /^Refused: .* is no answer with prices/,
      );
    });

    test("one run carries the site, the books agree, and nothing differs from the source", async () => {
      const planned = (await run(file, "--plan", "--all")).lines.filter((line) =>
        /^[-!]/.test(line),
      );
      const { code, lines } = await run(file, "--all");
      expect(lines).toContain("The books agree.");
      expect(code).toBe(2);
      const lost =
        '- user 7 "guarded" cannot sign in by telegram_id here: bind it again, or reset the password';
      expect(lines.includes(lost)).toBe(system === "new-api");
      expect(lines.filter((line) => /^[-!]/.test(line))).toEqual(planned);
      expect(await auditBooks(target.db)).toEqual([]);
      const verified = await run("verify", file);
      expect(verified.code).toBe(0);
      expect(verified.lines.slice(1)).toEqual([
        "Not carried, each with a line in the report of the import: 1 of token.",
        expect.stringMatching(/^Compared: [1-9].* 0 differences\.$/),
      ]);
    });

    test("balances below zero are debts, and counters and balances are those of the source", async () => {
      const wallets = await rows<{
        username: string;
        balance: number;
        debt: number;
        used_quota: number;
      }>(
        `select username, balance, debt, used_quota from users join wallets on wallets.id = users.wallet_id
         where username in ('alice', 'Bob@Work') order by username`,
      );
      const byName = new Map(wallets.map((row) => [row.username, row]));
      expect(byName.get("alice")).toMatchObject({
        balance: 1_000_000,
        debt: 0,
        used_quota: 250_000,
      });
      expect(byName.get("Bob@Work")).toMatchObject({ balance: 0, debt: 4_200, used_quota: 4_200 });
    });

    test("the settings of one identity provider are a provider that is off, and no setting keeps its secret", async () => {
      const found = await rows<{
        issuer: string;
        client_id: string;
        enabled: number;
        secret_sealed: string;
      }>("select issuer, client_id, enabled, secret_sealed from oidc_providers");
      expect(found).toEqual([
        {
          issuer: "https://id.example.com/realms/staff",
          client_id: "our-client",
          enabled: 0,
          secret_sealed: expect.not.stringContaining("secret-of-oidc"),
        },
      ]);
      expect(await rows("select key from options where key like 'Oidc%'")).toEqual([]);
    });

    test("who signs in by that provider there does so here", async () => {
      const accounts = await rows(
        `select username, provider, external_accounts.external_id from external_accounts join users on users.id = user_id
         where provider like 'oidc:%'`,
      );
      const provider = buildOidcAccountProvider("https://id.example.com/realms/staff");
      expect(accounts).toEqual([{ username: "x", provider, external_id: "7f3a-subject" }]);
    });

    if (system === "new-api")
      test("accounts at Discord and LinuxDO sign in here", async () => {
        const accounts = await rows(
          `select username, provider, external_accounts.external_id from external_accounts join users on users.id = user_id
           where provider in ('discord', 'linuxdo', 'telegram') order by provider`,
        );
        expect(accounts).toEqual([
          { username: "guarded", provider: "discord", external_id: "80351110224678912" },
          { username: "guarded", provider: "linuxdo", external_id: "4711" },
        ]);
      });

    test("channels of new-api keep their proxy, sealed, and their system prompt", async () => {
      const channels = await rows<{
        proxy_sealed: string;
        proxy_hint: string;
        system_prompt: string;
      }>("select proxy_sealed, proxy_hint, system_prompt from channels where name = 'several'");
      const kept = { proxy_hint: "http://proxy.example.com:3128", system_prompt: "Be brief." };
      const sealed = expect.not.stringContaining("proxy-password");
      expect(channels).toEqual(system === "new-api" ? [{ ...kept, proxy_sealed: sealed }] : []);
    });

    test("no secret of the source is in the report", async () => {
      const { lines } = await run(file, "--all", "--name", "other", "--plan");
      for (const secret of [
        "oldKey1",
        "provider-key",
        "mail-password",
        "secret-of-oidc",
        "$2",
        "00112233445566",
        "AbC+/",
        "GEZDGNBV",
        "proxy-password",
      ])
        expect(lines.join("\n")).not.toContain(secret);
    });

    test("a second run changes nothing", async () => {
      const { code, lines } = await run(file);
      expect(
        lines.filter((line) => /^(user|token|channel|code|option):/.test(line)).join(),
      ).not.toMatch(/[1-9]\d* (carried|updated)/);
      expect(code).toBe(2);
      const [{ count } = { count: 0 }] = await rows<{ count: number }>(
        "select count(*) as count from ledger",
      );
      await run(file);
      expect(await rows("select count(*) as count from ledger")).toEqual([{ count }]);
    });

    test("a later run carries only what was charged, credited, redeemed, disabled and created there since", async () => {
      const [alice] = await rows<{ id: number; wallet_id: number }>(
        "select id, wallet_id from users where username = 'alice'",
      );
      await target.db.money({
        verb: "grant",
        id: target.db.mintId(),
        walletId: alice?.wallet_id ?? 0,
        amount: 1_000,
        at: 1,
      });
      const source = new DatabaseSync(file);
      source.exec(
        "update users set quota = quota - 300, used_quota = used_quota + 300, request_count = 8 where id = 2",
      );
      source.exec(
        "update users set quota = 900 where id = 3; update users set quota = quota - 8 where id = 7",
      );
      source.exec("update tokens set remain_quota = 4700, used_quota = 50300 where id = 2");
      source.exec("update tokens set status = 2 where id = 1");
      source.exec("update redemptions set status = 3, redeemed_time = 1735689800 where id = 1");
      source.exec("update options set value = 'https://gate.example' where key = 'ServerAddress'");
      insertRows(source, {
        options: [
          { key: "TurnstileSiteKey", value: "site" },
          { key: "TurnstileSecretKey", value: "secret of the captcha" },
        ],
      });
      insertRows(source, { users: [{ id: 9, username: "newcomer", password: "", quota: 11 }] });
      source.close();
      expect((await run("verify", file)).lines).toContain('user 9 "newcomer" is not carried here');
      const { lines } = await run(file);
      expect(lines).toContain("The books agree.");
      expect(await auditBooks(target.db)).toEqual([]);
      const wallets = await rows<{ username: string; balance: number; debt: number }>(
        `select username, balance, debt from users join wallets on wallets.id = users.wallet_id
         where username in ('alice', 'Bob@Work', 'guarded', 'newcomer')`,
      );
      expect(
        new Map(wallets.map(({ username, balance, debt }) => [username, [balance, debt]])),
      ).toEqual(
        new Map([
          ["alice", [1_000_700, 0]],
          ["Bob@Work", [900, 0]],
          ["guarded", [0, 3]],
          ["newcomer", [11, 0]],
        ]),
      );
      expect(await rows("select status from tokens where name = 'main'")).toEqual([{ status: 2 }]);
      // The captcha was off until its service could tell this site from others.
      expect(await rows("select value from options where key = 'TurnstileCheckEnabled'")).toEqual([
        { value: "true" },
      ]);
      expect(
        await rows("select remain_quota, used_quota from tokens where name = 'limited'"),
      ).toEqual([{ remain_quota: 4_700, used_quota: 50_300 }]);
      expect(await rows("select status from redemptions where name = 'unused'")).toEqual([
        { status: 3 },
      ]);
      expect((await run("verify", file)).lines.at(-1)).toMatch(/ 0 differences\.$/);
    });
  });
});
