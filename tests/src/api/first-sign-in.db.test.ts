/**
 * A node that dies between two writes of a first sign-in: no account is left half made, and the
 * next sign-in completes it.
 */
import { auditBooks } from "@tollgate/gateway/money/audit/audit.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OidcIssuer, oidcCredentials, startOidcIssuer } from "../harness/oidc-issuer.ts";
import { testDatabases } from "../support/test-databases.ts";
import { createCookieBrowser } from "./cookie-browser.ts";
import { type ManagementGateway, startManagementGateway } from "./management-gateway.ts";

/** More than a sign-in has. */
const writesMax = 20;
const welcomeQuota = 700;

describe.each(testDatabases)("a first sign-in on a node that dies on $name", (database) => {
  let gateway: ManagementGateway;
  let issuer: OidcIssuer;

  beforeAll(async () => {
    issuer = await startOidcIssuer();
    gateway = await startManagementGateway(
      database,
      undefined,
      issuer.url,
      "http://gateway.example",
    );
    const root = await gateway.signIn("root");
    const { clientId: client_id, clientSecret: client_secret } = oidcCredentials;
    const rules = [{ claim: "groups", value: "admins", role: 10, group: "" }];
    const body = {
      slug: "company",
      name: "Company",
      issuer: issuer.url,
      client_id,
      client_secret,
      enabled: true,
      rules,
    };
    expect((await root("POST", "/api/oidc_provider/", { body })).body.success).toBe(true);
    await root("PUT", "/api/option/", {
      body: { key: "QuotaForNewUser", value: String(welcomeQuota) },
    });
  });
  afterAll(async () => {
    expect(gateway.problems).toEqual([]);
    await gateway.close();
    await issuer.close();
  });

  /** The accounts of a name with what belongs to them. */
  const accountsOf = async (username: string) => {
    const { sql, read } = gateway.db;
    const bound = sql
      .selectFrom("users")
      .leftJoin("external_accounts", "external_accounts.user_id", "users.id");
    const rows = bound
      .leftJoin("wallets", "wallets.id", "users.wallet_id")
      .select(["users.role", "external_accounts.external_id", "wallets.balance"]);
    return read(rows.where("users.username", "=", username));
  };

  test("leaves a whole account or none, and the next one completes it with one welcome quota", async () => {
    let deaths = 0;
    for (let writes = 0, hasDied = true; hasDied && writes < writesMax; writes += 1) {
      // Failed sign-ins are limited for some minutes.
      gateway.clock.now += 30 * 60_000;
      const username = `person${writes}`;
      const person = { sub: `subject-${writes}`, preferred_username: username, groups: ["admins"] };
      let send = gateway.visitor;
      const browser = createCookieBrowser({ visitor: (...request) => send(...request) });
      const begin = async () => {
        const { body } = await browser.ask(
          "GET",
          "/api/oauth/state?purpose=sign-in&provider=company",
        );
        const code = issuer.consent(String(body.oidc_authorize_url), person);
        return `/api/oauth/oidc/company?${new URLSearchParams({ code, state: String(body.data), iss: issuer.url })}`;
      };
      const callback = await begin();
      const { ask, isDead } = gateway.dyingNode(writes);
      send = ask;
      const { body } = await browser.ask("GET", callback);
      hasDied = isDead();
      if (hasDied) deaths += 1;
      else expect(body.success).toBe(true);

      const whole = { external_id: person.sub, balance: welcomeQuota };
      const left = await accountsOf(username);
      expect(left, `after ${writes} writes`).toMatchObject(left.length === 0 ? [] : [whole]);
      send = gateway.visitor;
      expect(
        (await browser.ask("GET", await begin())).body,
        `after ${writes} writes`,
      ).toMatchObject({ success: true });
      expect(await accountsOf(username), `after ${writes} writes`).toEqual([
        { ...whole, role: 10 },
      ]);
    }
    expect(await auditBooks(gateway.db)).toEqual([]);
    expect(deaths).toBeGreaterThan(2);
    expect(deaths).toBeLessThan(writesMax);
  });
});
