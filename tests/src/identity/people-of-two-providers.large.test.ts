/**
 * Fifty people of a company come into teams and go, by their groups at two identity servers of
 * different makers, each in a browser of its own on the pages of its server.
 */
import {
  createOidcProvider,
  listOidcProviders,
} from "@tollgate/contract/accounts/oidc-providers.ts";
import { listTeamBudgets } from "@tollgate/contract/accounts/team-caps.ts";
import {
  createTeam,
  createTeamToken,
  listTeamMembers,
  listTeamTokens,
  type Team,
} from "@tollgate/contract/accounts/teams.ts";
import { consoleHeader } from "@tollgate/contract/api/envelope.ts";
import { pageSizeMax } from "@tollgate/contract/api/page.ts";
import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { certifiedClient, startCertifiedOidcProvider } from "../harness/certified-oidc-provider.ts";
import { freePort } from "../harness/free-port.ts";
import { databaseKinds } from "../harness/gateway-database.ts";
import { pythonAvailable } from "../harness/python-packages.ts";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "../journeys/browser-gateway.ts";
import { openPage, pathOf } from "../journeys/console-pages.ts";
import {
  type CanailleServer,
  canailleClient,
  canaillePassword,
  startCanaille,
} from "./canaille-server.ts";

const password = "correct horse battery";
const perProvider = 25;
const weekly = { amount: 1_000_000, window: "week" as const };
const possible = pythonAvailable();
const reason = possible.available ? "" : ` (${possible.reason})`;
const listNames = (prefix: string): string[] =>
  Array.from({ length: perProvider }, (_, index) => `${prefix}${index + 1}`);

describe.skipIf(!possible.available).each(databaseKinds)(
  `people of two providers${reason}, on %s`,
  (store) => {
    let certified: Awaited<ReturnType<typeof startCertifiedOidcProvider>>;
    let canaille: CanailleServer;
    let gateway: TestGateway;
    let root: Awaited<ReturnType<TestGateway["signIn"]>>;
    let search: Team;
    let ads: Team;
    const ofCertified = listNames("anna");
    const ofCanaille = listNames("bela");

    beforeAll(async () => {
      certified = await startCertifiedOidcProvider();
      const [port, canaillePort] = [String(await freePort()), await freePort()];
      const siteUrl = `http://127.0.0.1:${port}`;
      canaille = await startCanaille({
        ...{ port: canaillePort, siteUrl, callback: `${siteUrl}/oauth/oidc/canaille` },
        people: ofCanaille,
      });
      gateway = await startBrowserGateway({
        store,
        env: {
          ...{ PORT: port, PUBLIC_URL: siteUrl, INITIAL_ROOT_PASSWORD: password },
          IDENTITY_PRIVATE_HOSTS: `${new URL(certified.url).host},127.0.0.1:${canaillePort}`,
        },
      });
      certified.serve(`${siteUrl}/oauth/oidc/certified`);
      root = await gateway.signIn("root", password);
      const make = async (name: string) => (await root.call(createTeam, { body: { name } })).data;
      [search, ads] = [await make("Search"), await make("Ads")];
      const give = (value: string, team: Team, team_role: "admin" | "member") => ({
        ...{ claim: "groups", value, role: null, group: "", team: team.uuid, team_role },
        team_budget: team_role === "member" ? weekly : null,
      });
      const rules = [
        give("leads", search, "admin"),
        give("search", search, "member"),
        give("ads", ads, "member"),
      ];
      const shared = { enabled: true, scopes: "openid profile groups", rules };
      await root.call(createOidcProvider, {
        body: {
          ...{ ...shared, slug: "certified", name: "Certified", issuer: certified.url },
          client_id: certifiedClient.clientId,
          client_secret: certifiedClient.clientSecret,
        },
      });
      await root.call(createOidcProvider, {
        body: {
          ...{ ...shared, slug: "canaille", name: "Canaille", issuer: canaille.issuer },
          client_id: canailleClient.clientId,
          client_secret: canailleClient.clientSecret,
        },
      });
    }, 300_000);
    afterAll(async () => {
      await gateway?.close();
      await canaille?.stop();
      await certified?.close();
    });

    /** Whom each server has in which group. */
    const setGroups = async (groups: Readonly<Record<string, readonly string[]>>) => {
      const own = (people: readonly string[]) =>
        Object.fromEntries(
          Object.entries(groups).map(([name, all]) => [
            name,
            all.filter((one) => people.includes(one)),
          ]),
        );
      await canaille.setGroups(own(ofCanaille));
      for (const person of ofCertified)
        certified.groups.set(
          person,
          Object.keys(groups).filter((name) => groups[name]?.includes(person)),
        );
    };

    const openAt = async (provider: string) => {
      const visitor = await gateway.newContext();
      const page = await openPage(visitor);
      page.setDefaultTimeout(60_000);
      await page.route("https://fonts.googleapis.com/**", (route) =>
        route.fulfill({ contentType: "text/css", body: "" }),
      );
      await page.goto("/login?redirect_to=%2Ftokens");
      await page.getByRole("button", { name: provider, exact: true }).click();
      return { visitor, page };
    };
    const signInAtCertified = async (name: string): Promise<BrowserContext> => {
      const { visitor, page } = await openAt("Certified");
      await page.getByPlaceholder("Enter any login").fill(name);
      await page.getByPlaceholder("and password").fill("any");
      await page.getByRole("button", { name: "Sign-in" }).click();
      await page.getByRole("button", { name: "Continue" }).click();
      await expect.poll(() => pathOf(page), { timeout: 30_000 }).toBe("/tokens");
      return visitor;
    };
    const signInAtCanaille = async (name: string, attemptsLeft = 4): Promise<BrowserContext> => {
      const { visitor, page } = await openAt("Canaille");
      await page.locator("input[name=login]").fill(name);
      await page.locator("input[name=login]").press("Enter");
      const secret = page.locator("input[name=password]");
      const accept = page.locator("button[name=answer][value=accept]");
      const refused = page.getByText("Login failed.");
      const findState = async () => {
        if (page.url().startsWith(gateway.url)) return "back";
        if (await accept.isVisible()) return "asked";
        return (await refused.isVisible()) ? "refused" : "under way";
      };
      await secret.fill(canaillePassword);
      await secret.press("Enter");
      const isThrough = await expect
        .poll(findState, { timeout: 25_000 })
        .toMatch(/back|asked/)
        .then(
          () => true,
          () => false,
        );
      // Its store in memory does not find everyone each time: who was refused begins anew.
      if (!isThrough && attemptsLeft > 0) {
        await visitor.close();
        return signInAtCanaille(name, attemptsLeft - 1);
      }
      // It asks for consent at the first sign-in.
      if ((await findState()) === "asked") await accept.click();
      await expect.poll(() => pathOf(page), { timeout: 30_000 }).toBe("/tokens");
      return visitor;
    };
    /** Everyone signs in once, two at a time, and does `act` in the own session. */
    const signInAll = async (
      act: (visitor: BrowserContext) => Promise<unknown> = async () => {},
    ) => {
      const run = async (
        people: readonly string[],
        signIn: (name: string) => Promise<BrowserContext>,
      ) => {
        for (const name of people) {
          const visitor = await signIn(name);
          await act(visitor);
          await visitor.close();
        }
      };
      await Promise.all([run(ofCertified, signInAtCertified), run(ofCanaille, signInAtCanaille)]);
    };
    const membersOf = async ({ id }: Team) =>
      (await root.call(listTeamMembers, { params: { id: String(id) } })).data
        .filter(({ by_provider }) => by_provider !== null)
        .map(({ username, role }) => `${username} ${role}`)
        .sort();
    const budgetsOf = async ({ id }: Team) => {
      const query = { subject: "member" as const, size: pageSizeMax };
      return (await root.call(listTeamBudgets, { params: { id: String(id) }, query })).data;
    };
    const all = [...ofCertified, ...ofCanaille];
    const leads = ["anna1", "bela1"];

    test("come in by their groups, each with role and budget, and go with them, with the keys that they made", {
      timeout: 900_000,
    }, async () => {
      expect((await root.call(listOidcProviders)).data).toHaveLength(2);
      await setGroups({ leads, search: all, ads: all.slice(20, 30) });
      await signInAll((visitor) =>
        visitor.request.post(createTeamToken.path.replace(":id", String(search.id)), {
          data: { name: "agent", unlimited_quota: true },
          headers: { [consoleHeader.name]: consoleHeader.value },
        }),
      );
      expect(await membersOf(search)).toEqual(
        all.map((name) => `${name} ${leads.includes(name) ? "admin" : "member"}`).sort(),
      );
      expect(await membersOf(ads)).toEqual(
        all
          .slice(20, 30)
          .map((name) => `${name} member`)
          .sort(),
      );
      const budgets = await budgetsOf(search);
      expect(budgets).toHaveLength(48);
      expect(budgets.every(({ amount, by_provider }) => amount === 1_000_000 && by_provider)).toBe(
        true,
      );
      const keysOf = async () => {
        const query = { size: pageSizeMax };
        const { data } = await root.call(listTeamTokens, {
          params: { id: String(search.id) },
          query,
        });
        return data.map(({ status }) => status);
      };
      expect(await keysOf()).toEqual(Array(50).fill(1));

      // Half of them leave the company's search team, and everybody the other one.
      const staying = all.filter((_, index) => index % 2 === 0);
      await setGroups({ search: staying });
      await signInAll();
      expect(await membersOf(search)).toEqual(staying.map((name) => `${name} member`).sort());
      expect(await membersOf(ads)).toEqual([]);
      expect((await keysOf()).sort()).toEqual([...Array(25).fill(1), ...Array(25).fill(2)]);
      expect(await budgetsOf(search)).toHaveLength(25);
    });
  },
);
