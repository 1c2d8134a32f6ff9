/**
 * A node that dies between two writes of an act on a person's own ways in: the act is done as a
 * whole or not at all.
 */
import type { AuditAction } from "@tollgate/contract/site/audit-actions.ts";
import { createTrustedHeader } from "@tollgate/gateway/http/trusted-header.ts";
import { auditBooks } from "@tollgate/gateway/money/audit/audit.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type IdentityProvider, startIdentityProvider } from "../harness/identity-provider.ts";
import { describeLarge } from "../support/large-tests.ts";
import { createSoftwarePasskey } from "../support/software-passkey.ts";
import { testDatabases } from "../support/test-databases.ts";
import {
  type ManagementGateway,
  password,
  startManagementGateway,
  type TestApiReply,
} from "./management-gateway.ts";
import { createOAuthBrowser, enableOAuth, type OAuthBrowser } from "./oauth-browser.ts";

const publicUrl = "http://localhost:3000";
const party = { id: "localhost", origin: publicUrl };
const proxy = "10.1.0.9";
const secret = "only-the-proxy-knows-this";
/** More than any act has. */
const writesMax = 20;

interface Person {
  id: number;
  uuid: string;
  name: string;
  number: number;
  browser: OAuthBrowser;
}

interface DyingAct {
  act(): Promise<TestApiReply>;
  /** Counts of rows that the act makes together: each is 0 or 1. */
  rows(): Promise<number[]>;
}

describeLarge(testDatabases)("on a node that dies, on $name", (database) => {
  let gateway: ManagementGateway;
  let provider: IdentityProvider;

  beforeAll(async () => {
    provider = await startIdentityProvider();
    const names = {
      nameHeader: "remote-user",
      secretHeader: "x-proxy-secret",
      groupsHeader: "remote-groups",
    };
    const proxies = [{ bytes: [10, 1, 0, 0], bits: 16 }];
    const header = createTrustedHeader({ ...names, secret, proxies }, () => undefined);
    gateway = await startManagementGateway(database, undefined, provider.url, publicUrl, header);
    const root = await gateway.signIn("root");
    await enableOAuth(root);
    await root("PUT", "/api/option/", { body: { key: "QuotaForNewUser", value: "700" } });
  });
  afterAll(async () => {
    expect(gateway.problems).toEqual([]);
    await gateway.close();
    await provider.close();
  });

  const sql = () => gateway.db.sql;
  const keysOf = ({ id }: Person) =>
    gateway.db.read(sql().selectFrom("management_keys").select("id").where("user_id", "=", id));
  const tokensOf = ({ id }: Person) =>
    gateway.db.read(
      sql().selectFrom("tokens").select(["id", "old_key_hash"]).where("user_id", "=", id),
    );
  const passkeysOf = ({ id }: Person) =>
    gateway.db.read(sql().selectFrom("passkeys").select("id").where("user_id", "=", id));
  const accountsOf = (externalId: string) =>
    gateway.db.read(
      sql().selectFrom("external_accounts").select("user_id").where("external_id", "=", externalId),
    );
  const usersNamed = (name: string) =>
    gateway.db.read(sql().selectFrom("users").select("id").where("username", "=", name));
  const tokensNamed = (owner: string) => {
    const owned = sql().selectFrom("tokens").innerJoin("users", "users.id", "tokens.user_id");
    return gateway.db.read(owned.select("tokens.id").where("users.username", "=", owner));
  };
  const entries = async (action: AuditAction, actorId: number) => {
    const recorded = sql().selectFrom("audit_entries").select("id").where("action", "=", action);
    return (await gateway.db.read(recorded.where("actor_id", "=", actorId))).length;
  };
  const addPasskey = async ({ ask }: OAuthBrowser): Promise<() => Promise<TestApiReply>> => {
    const begun = await ask("POST", "/api/user/passkey/register/begin", {
      body: { current_password: password },
    });
    const body = createSoftwarePasskey().created({
      challenge: begun.body.data.publicKey.challenge,
      party,
    });
    return () => ask("POST", "/api/user/passkey/register/finish?name=laptop", { body });
  };

  const acts: Record<string, (person: Person) => Promise<DyingAct>> = {
    "a management key is made with its entry in the record": async (person) => ({
      act: () =>
        person.browser.ask("POST", "/api/management_key/", {
          body: {
            name: "ci",
            scopes: ["tokens:read"],
            lifetime_days: 1,
            current_password: password,
          },
        }),
      rows: async () => [
        (await keysOf(person)).length,
        await entries("management_key.create", person.id),
      ],
    }),
    "a key is rotated with its entry in the record": async (person) => {
      if ((await tokensOf(person)).length === 0)
        await person.browser.ask("POST", "/api/token/", { body: { name: "t" } });
      const [token] = await tokensOf(person);
      return {
        act: () =>
          person.browser.ask("POST", "/api/token/rotate", {
            body: { id: token?.id, overlap_seconds: 60 },
          }),
        rows: async () => [
          (await tokensOf(person)).filter(({ old_key_hash }) => old_key_hash !== null).length,
          await entries("token.rotate", person.id),
        ],
      };
    },
    "a passkey is added with its entry in the record": async (person) => ({
      act: await addPasskey(person.browser),
      rows: async () => [
        (await passkeysOf(person)).length,
        await entries("passkey.add", person.id),
      ],
    }),
    "a passkey is removed with its entry in the record": async (person) => {
      if ((await passkeysOf(person)).length === 0) await (await addPasskey(person.browser))();
      const [passkey] = await passkeysOf(person);
      return {
        act: () =>
          person.browser.ask("POST", `/api/user/passkey/${passkey?.id}/remove`, {
            body: { current_password: password },
          }),
        rows: async () => [
          1 - (await passkeysOf(person)).length,
          await entries("passkey.remove", person.id),
        ],
      };
    },
    "an external account is bound with its entry in the record": async (person) => {
      const code = provider.codeFor({ id: person.number, name: person.name });
      const state = await person.browser.mint("bind");
      return {
        act: () => person.browser.comeBack("github", code, state),
        rows: async () => [
          (await accountsOf(String(person.number))).length,
          await entries("external.bind", person.id),
        ],
      };
    },
    "a first sign-in with GitHub makes a whole account": async (person) => {
      const stranger = createOAuthBrowser(
        { ...gateway, visitor: (...asked) => person.browser.ask(...asked) },
        provider,
      );
      const name = `new${person.name}`;
      const code = provider.codeFor({ id: person.number, name });
      const state = await stranger.mint();
      return {
        act: () => stranger.comeBack("github", code, state),
        rows: async () => [
          (await accountsOf(String(person.number))).length,
          (await usersNamed(name)).length,
        ],
      };
    },
    "a registration makes a whole account": async (person) => {
      const username = `new${person.name}`;
      const body = { username, password: "a long password of theirs" };
      return {
        act: () => person.browser.ask("POST", "/api/user/register", { body }),
        rows: async () => [
          (await usersNamed(username)).length,
          (await tokensNamed(username)).length,
        ],
      };
    },
    "a first sign-in by the proxy makes a whole account": async (person) => {
      const name = `by.proxy.${person.name}`;
      const headers = { "remote-user": name, "x-proxy-secret": secret };
      const { ask } = person.browser;
      const state = String(
        (await ask("GET", "/api/oauth/state?purpose=sign-in", { headers })).body.data,
      );
      return {
        act: () => ask("GET", `/api/oauth/proxy?state=${state}`, { headers }),
        rows: async () => [(await accountsOf(name)).length, (await usersNamed(name)).length],
      };
    },
  };

  const isStrangersAct = (title: string) => /^a (?:first sign-in|registration)/.test(title);

  test.each(Object.entries(acts))("%s, or not at all", async (title, begin) => {
    let deaths = 0;
    for (let writes = 0, hasDied = true; hasDied && writes < writesMax; writes += 1) {
      gateway.clock.now += 30 * 60_000;
      const number = 1_000 * (1 + Object.keys(acts).indexOf(title)) + writes;
      const live = gateway.from(proxy);
      let send = live;
      const browser = createOAuthBrowser(
        { ...gateway, visitor: (...asked) => send(...asked) },
        provider,
      );
      const name = `p${number}`;
      const person = { ...(await gateway.addUser(name)), name, number, browser };
      if (!isStrangersAct(title)) await browser.signIn(name, password);
      const { act, rows } = await begin(person);
      const { ask, isDead } = gateway.dyingNode(writes, proxy);
      send = ask;
      const { body } = await act();
      hasDied = isDead();
      if (hasDied) deaths += 1;
      else expect(body, body.message).toMatchObject({ success: true });
      const left = await rows();
      expect([left.map(() => 0), left.map(() => 1)], `after ${writes} writes`).toContainEqual(left);
      send = live;
      if (left[0] === 0) {
        const again = await begin(person);
        expect((await again.act()).body, `after ${writes} writes`).toMatchObject({ success: true });
      }
      expect(await rows(), `after ${writes} writes`).toEqual(left.map(() => 1));
    }
    expect(await auditBooks(gateway.db)).toEqual([]);
    expect(deaths).toBeGreaterThan(0);
    expect(deaths).toBeLessThan(writesMax);
  });
});
