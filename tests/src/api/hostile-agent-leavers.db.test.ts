/** Attacks with keys and secrets of programs by people who left, or who ended the sign-in. */
import { buildOidcAccountProvider } from "@tollgate/contract/accounts/external-sign-in.ts";
import { loadOidcProviders } from "@tollgate/gateway/accounts/identity/oidc/oidc-provider-store.ts";
import { restKeys } from "@tollgate/gateway/accounts/identity/oidc/rest-keys.ts";
import { createSessionStore } from "@tollgate/gateway/accounts/identity/sessions/session-store.ts";
import { openDatabase, type StorageConfig } from "@tollgate/gateway/storage/open-database.ts";
import type { SessionRow } from "@tollgate/gateway/storage/tables/account-tables.ts";
import type { Insertable } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type OidcIssuer, startOidcIssuer } from "../harness/oidc-issuer.ts";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import { createCookieBrowser } from "./cookie-browser.ts";
import { type ManagementGateway, startManagementGateway } from "./management-gateway.ts";
import { buildCompanyProvider } from "./oidc-browser.ts";
import {
  createRelayView,
  createSignedInPrograms,
  type ProgramTokens,
  type SignedInPrograms,
  signInEndings,
} from "./signed-in-programs.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const publicUrl = "http://gateway.example";

describeVariants(testDatabases)("attacks with keys of people who left on $name", (database) => {
  let gateway: ManagementGateway;
  let programs: SignedInPrograms;
  let issuer: OidcIssuer;
  let storage: StorageConfig;
  beforeAll(async () => {
    issuer = await startOidcIssuer();
    const opened = {
      ...database,
      async open() {
        const made = await database.open();
        storage = made.config;
        return made;
      },
    };
    gateway = await startManagementGateway(opened, undefined, issuer.url, publicUrl);
    programs = createSignedInPrograms(gateway);
    const body = { ...buildCompanyProvider(issuer), keys_rest_days: 30 };
    expect((await programs.asRoot("POST", "/api/oidc_provider/", { body })).body.message).toBe("");
  });
  afterAll(async () => {
    expect(gateway.problems).toEqual([]);
    await gateway.close();
    await issuer.close();
  });

  /** Bound to the company's provider, with which they last signed in at this moment. */
  const employ = async ({ id }: { id: number }, at: number) => {
    const provider = buildOidcAccountProvider(issuer.url);
    const row = { provider, external_id: `sub-${id}`, user_id: id, name: `sub-${id}` };
    const query = gateway.db.sql
      .insertInto("external_accounts")
      .values({ ...row, created_at: at, signed_in_at: at });
    await gateway.db.write([{ query }]);
  };
  const arrive = async (sub: string) => {
    const browser = createCookieBrowser(gateway);
    const { body } = await browser.ask("GET", "/api/oauth/state?purpose=sign-in&provider=company");
    const code = issuer.consent(String(body.oidc_authorize_url), { sub, preferred_username: sub });
    const query = new URLSearchParams({ code, state: String(body.data), iss: issuer.url });
    const reply = await browser.ask("GET", `/api/oauth/oidc/company?${query}`);
    expect(reply.body.message).toBe("");
    return { ...browser, username: String(reply.body.data.username) };
  };

  /** Each ends with what the attacker must not have. */
  const attacks: Readonly<Record<string, () => Promise<void>>> = {
    "a second node that goes on with a key after the sign-out": async () => {
      const { tokens, username, client } = await programs.signIn();
      // SQLite has one process, and thus one cache.
      const db = storage.databaseUrl
        ? await openDatabase(storage, { onError: () => undefined, onFatal: () => undefined })
        : gateway.db;
      const use = createRelayView(db, () => gateway.clock.now);
      expect(await use(tokens.access_token)).toBe(username);
      await client("DELETE", "/api/user/sessions");
      // A poll each second, and what a busy machine adds.
      await expect
        .poll(() => use(tokens.access_token), { timeout: 3_000, interval: 20 })
        .toMatch(/^refused/);
      if (storage.databaseUrl) await db.close();
    },
    "fifty sign-ins of the person's browser, which leave the program in their list": async () => {
      const { tokens, username, id } = await programs.signIn();
      expect(await programs.use(tokens.access_token)).toBe(username);
      const sessions = createSessionStore(gateway.db);
      const [browser] = await sessions.ofUser(id, gateway.clock.now);
      for (let turn = 0; turn < 52; turn += 1) {
        gateway.clock.now += 1;
        const seen_at = gateway.clock.now;
        const row = { ...browser, id_hash: `browser-${id}-${turn}`, seen_at };
        await gateway.db.write(sessions.open(row as Insertable<SessionRow>));
      }
      expect(await programs.rowsOf("sessions", id)).toHaveLength(51);
      expect(await programs.use(tokens.access_token)).toBe(username);
      expect((await programs.renewed(tokens.refresh_token)).access_token).toBeDefined();
    },
    "more programs than fifty: the first one's key stops with its session": async () => {
      const first = await programs.signIn();
      const { username, id } = first;
      const person = { ...first, client: await gateway.signIn(username) };
      expect(await programs.use(first.tokens.access_token)).toBe(username);
      await programs.begin();
      for (let turn = 0; turn < 50; turn += 1) {
        gateway.clock.now += 1;
        const { device_code, user_code } = await programs.beginAt(`192.0.2.${turn + 50}`);
        await programs.answer(person.client, user_code);
        expect((await programs.exchange(device_code)).status).toBe(200);
      }
      expect((await programs.rowsOf("sessions", id)).length).toBeLessThanOrEqual(53);
      expect(await programs.use(first.tokens.access_token)).toMatch(/^refused/);
      await programs.expectEnded(first.tokens);
      expect((await person.client("GET", "/api/user/self")).body.success).toBe(true);
    },
    "a way into the wallet of a team that the person was in": async () => {
      const { id, client, tokens } = await programs.signIn();
      const made = { name: `Team ${id}`, owner_id: id };
      const { data: team } = (await programs.asRoot("POST", "/api/team/", { body: made })).body;
      const key = await client("POST", `/api/team/${team.id}/offer_key`, {
        body: { token_id: (await programs.rowsOf("tokens", id))[0]?.id },
      });
      expect(key.body.success).toBe(false);
      await programs.renewed(tokens.refresh_token);
      expect((await programs.rowsOf("tokens", id)).map(({ team_id }) => team_id)).toEqual([null]);
    },

    "a program of who is away from the company: no renewal, and its key rests": async () => {
      const person = await programs.addPerson();
      await employ(person, gateway.clock.now - 20 * day);
      const { tokens } = await programs.signIn(person);
      gateway.clock.now += 10 * day - 30 * minute;
      const again = await programs.signIn({
        ...person,
        client: await gateway.signIn(person.username),
      });
      expect(await programs.use(again.tokens.access_token)).toBe(person.username);
      gateway.clock.now += 31 * minute;
      const rest = async () =>
        restKeys(
          { db: gateway.db, oidcProviders: await loadOidcProviders(gateway.db) },
          gateway.clock.now,
        );
      await rest();
      expect(await programs.use(again.tokens.access_token)).toMatch(/^refused/);
      expect(await programs.renew(again.tokens.refresh_token)).toMatchObject({
        error: "invalid_grant",
      });
      expect((await programs.renew(tokens.refresh_token)).error).toBe("invalid_grant");
    },
    "a code approved by who is away from the company by the time of the exchange": async () => {
      const person = await programs.addPerson();
      await employ(person, gateway.clock.now - 30 * day + 15 * minute);
      const { device_code } = await programs.approve(person.client);
      gateway.clock.now += 9 * minute;
      expect(await programs.exchange(device_code)).toMatchObject({ error: "expired_token" });
      expect(await programs.rowsOf("tokens", person.id)).toEqual([]);
    },
    "a program approved in a session that the provider then ends": async () => {
      const leaver = await arrive("leaver");
      const stayer = await arrive("stayer");
      const tokens: ProgramTokens[] = [];
      for (const { ask } of [leaver, stayer]) {
        const { device_code } = await programs.approve(ask);
        tokens.push((await programs.exchange(device_code)) as unknown as ProgramTokens);
      }
      const { username } = stayer;
      expect(await programs.use(tokens[0]?.access_token)).toBe(leaver.username);
      const { status } = await gateway.visitor("POST", "/oauth/oidc/company/backchannel", {
        body: { logout_token: issuer.logoutToken({ sub: "leaver" }, gateway.clock.now) },
      });
      expect(status).toBe(200);
      await expect.poll(() => programs.use(tokens[0]?.access_token)).toMatch(/^refused/);
      expect((await programs.renew(tokens[0]?.refresh_token)).error).toBe("invalid_grant");
      expect(await programs.use(tokens[1]?.access_token)).toBe(username);
    },
  };

  const cases = {
    ...attacks,
    ...Object.fromEntries(
      Object.entries(signInEndings).map(([what, end]) => [
        `key and secret of a program whose person ${what}`,
        async () => {
          const { tokens, username, id } = await programs.signIn();
          expect(await programs.use(tokens.access_token)).toBe(username);
          const client = await gateway.signIn(username);
          expect(await end(programs, { id, client })).toMatchObject({ body: { success: true } });
          await programs.expectEnded(tokens);
        },
      ]),
    ),
  };

  test("at least thirteen are tried", () => {
    expect(Object.keys(cases).length).toBeGreaterThanOrEqual(13);
  });
  test.each(Object.entries(cases))("an attack fails: %s", async (_, attack) => await attack());
});
