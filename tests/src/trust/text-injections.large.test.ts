// Everything that is not markup: names that users choose, texts of upstreams, models and browsers,
// messages. The page shows each text literally, and none has an effect.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createOidcProvider } from "@tollgate/contract/accounts/oidc-providers.ts";
import { createRedemptions, listRedemptions } from "@tollgate/contract/accounts/redemptions.ts";
import { createMemberCap, createTeamCap } from "@tollgate/contract/accounts/team-caps.ts";
import { createTeam, createTeamToken } from "@tollgate/contract/accounts/teams.ts";
import { createToken } from "@tollgate/contract/accounts/tokens.ts";
import { listUsers } from "@tollgate/contract/accounts/user-admin.ts";
import { createChannel } from "@tollgate/contract/catalogue/channels.ts";
import { createMcpServer } from "@tollgate/contract/catalogue/mcp-servers.ts";
import { createVirtualModel } from "@tollgate/contract/catalogue/virtual-models.ts";
import { updateCostReport } from "@tollgate/contract/figures/cost-reports.ts";
import { listRuns } from "@tollgate/contract/figures/runs.ts";
import type { Page, Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listPages } from "../../../console/preloads.ts";
import { eventually } from "../harness/eventually.ts";
import { repositoryDir } from "../harness/repository-dir.ts";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "../journeys/browser-gateway.ts";
import { heading, pathOf, signIn } from "../journeys/console-pages.ts";
import { createSampleData } from "../journeys/sample-data.ts";
import { type PlacedPayloads, respondWithHostileTexts, unreadable } from "./hostile-responses.ts";
import { hostileAddresses, injections } from "./injections.ts";
import { openWatchedPage, type WatchedPage } from "./watched-page.ts";

let stage: TestGateway;
let watched: WatchedPage;
let page: Page;
let placed: PlacedPayloads;
let turn = 0;
const ids: Record<string, string> = { provider: "company", section: "import" };

const password = "correct horse battery";
/**
 * In the short form each column of a list shows some of the payloads, and all columns together
 * every one.
 */
const assignments = process.env.INJECTIONS === "full" ? 9 : 1;
const everything = injections.map(({ text }) => text).join("\n");

beforeAll(async () => {
  stage = await startBrowserGateway({ env: { INITIAL_ROOT_PASSWORD: password } });
  const root = await stage.signIn("root", password);
  Object.assign(ids, await createSampleData(root, stage.url, stage.simulator.url));
  await root.call(createRedemptions, { body: { name: "Gift", quota: 5, count: 2 } });
  ids.redemption = (await root.call(listRedemptions)).data[0]?.uuid ?? "";
  ids.user = (await root.call(listUsers)).data[0]?.uuid ?? "";
  const openAi = {
    name: "Reported",
    type: 1,
    key: "sim-ok",
    base_url: stage.simulator.url,
    models: "reported",
  };
  const [reported] = (await root.call(createChannel, { body: openAi })).data;
  const report = { params: { id: reported?.uuid ?? "" }, body: { key: "sk-admin-report-key" } };
  await root.call(updateCostReport, report);
  // Named as a model that the sample calls asked for, so that its figures have rows.
  const tiers = [{ strategy: "weights" as const, targets: [{ model: "gpt-4o", weight: 1 }] }];
  ids.virtual = (
    await root.call(createVirtualModel, { body: { name: "gpt-4o", replaces_model: true, tiers } })
  ).data.uuid;
  const tools = {
    name: "pages",
    url: "https://mcp.example.com/rpc",
    groups: ["default"],
    description: "Pages",
  };
  ids.mcp = (await root.call(createMcpServer, { body: tools })).data.uuid;
  const identity = {
    slug: "company",
    name: "Company",
    issuer: "https://login.example.com",
    client_id: "gateway",
  };
  ids.identity = (await root.call(createOidcProvider, { body: identity })).data.uuid;
  const team = (await root.call(createTeam, { body: { name: "Search", note: "A note" } })).data;
  ids.team = team.uuid;
  const inTeam = { params: { id: team.uuid } };
  await root.call(createTeamToken, { ...inTeam, body: { name: "backend" } });
  const cap = { name: "Each", note: "A note", window: "week" as const, amount: 5 };
  await root.call(createTeamCap, { ...inTeam, body: cap });
  await root.call(createMemberCap, { ...inTeam, body: { ...cap, user_id: team.owner_id } });
  const { key } = (await root.call(createToken, { body: { name: "agent", unlimited_quota: true } }))
    .data;
  await fetch(`${stage.url}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "x-tollgate-run": "nightly",
    },
    body: JSON.stringify({ model: "reported", messages: [{ role: "user", content: "Hello" }] }),
  }).then((response) => response.text());
  await stage.settled();
  await eventually(async () =>
    expect((await root.call(listRuns, { query: {} })).data).toHaveLength(1),
  );
  ids.run = (await root.call(listRuns, { query: {} })).data[0]?.run ?? "";
  watched = await openWatchedPage(await stage.newContext());
  page = watched.page;
  await page.goto("/login?redirect_to=/tokens");
  await signIn(page, "root", password);
  await heading(page, "Tokens").waitFor();
  await page.evaluate(`{
    const { uuid } = JSON.parse(localStorage.getItem("user"));
    const columns = { disabled_reason: true, base_url: true, tag: true };
    localStorage.setItem("table_choice:" + uuid + ":/api/channel/", JSON.stringify({ columns, views: [] }));
  }`);
  placed = await respondWithHostileTexts(page, () => turn);
});
afterAll(() => stage.close());

/** Waits until all texts of these places can be read, and checks that none had an effect. */
async function expectRead(places: readonly string[], about: string): Promise<void> {
  for (const place of places) {
    await expect
      .poll(() => placed.get(place)?.length ?? 0, { message: `${about}: ${place}` })
      .toBeGreaterThan(0);
    await expect
      .poll(() => unreadable(page, placed.get(place) ?? []), { message: `${about}: ${place}` })
      .toEqual([]);
  }
  expect(await watched.violations(), about).toEqual([]);
}

/** The targets of pages that redirect signed-in users. */
const leadingOn: Readonly<Record<string, string>> = {
  "/oauth/github": "/login",
  "/oauth/lark": "/login",
  "/oauth/discord": "/login",
  "/oauth/linuxdo": "/login",
  "/oauth/telegram": "/login",
  "/oauth/wechat": "/login",
  "/oauth/proxy": "/login",
  "/oauth/oidc/:provider": "/login",
};

async function open(path: string): Promise<void> {
  placed.clear();
  const address = path.replace(/:(\w+)/, (_, name: string) => ids[name] ?? "");
  await page.goto(address);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await expect.poll(() => pathOf(page)).toBe(leadingOn[path] ?? address);
}

const everywhere = ["/api/status system_name"];
/** Every address of the console, and what has to be read there besides the name of the system. */
const screens: readonly (readonly [path: string, ...places: string[]])[] = [
  ["/"],
  ["/models"],
  ["/models/one?model=reported"],
  ["/status"],
  ["/reference"],
  ["/key"],
  ["/about"],
  ["/chat"],
  ["/topup"],
  ["/report"],
  ["/dashboard", "/api/user/dashboard ModelName"],
  [
    "/logs?size=100",
    ...["content", "username", "token_name", "model_name", "channel_name"].map(
      (name) => `/api/log/ ${name}`,
    ),
  ],
  ["/tokens?size=100", "/api/token/ name"],
  ["/tokens/:token", "/api/token/:id name"],
  ["/teams", "/api/team/ name"],
  ["/teams/:team", "/api/team/:id name"],
  ["/teams/:team/keys", "/api/team/:id/tokens name"],
  ["/teams/:team/members", "/api/team/:id/members username"],
  ["/teams/:team/budgets", "/api/team/:id/budgets name", "/api/team/:id/caps name"],
  ["/teams/:team/statement"],
  ["/teams/:team/activity"],
  ["/teams/:team/settings", "/api/team/:id name"],
  ["/invitation"],
  ["/device"],
  ["/tokens/add", "/api/user/available_models "],
  ["/tokens/batch", "/api/user/available_models "],
  ["/tokens/check"],
  ["/tokens?look=1", "/api/token/findings name"],
  [
    "/tokens/edit/:token",
    ...["name", "models", "subnet", "groups"].map((name) => `/api/token/:id ${name}`),
  ],
  [
    "/channels?size=100",
    ...["name", "disabled_reason", "base_url", "tag"].map((name) => `/api/channel/ ${name}`),
  ],
  ["/channels/connect"],
  ["/channels/prices", "/api/price/ model"],
  ["/channels/costs", "/api/cost_report/ channel_name"],
  ["/channels/virtual", "/api/virtual_model/ name"],
  [
    "/channels/virtual/:virtual",
    "/api/virtual_model/:id name",
    "/api/virtual_model/:id/usage model",
  ],
  [
    "/channels/mcp",
    ...["name", "description", "url", "groups"].map((name) => `/api/mcp_server/ ${name}`),
  ],
  [
    "/channels/mcp/:mcp",
    ...["name", "description", "url"].map((name) => `/api/mcp_server/:id ${name}`),
  ],
  ["/budgets"],
  ["/runs", ...["username", "token_name", "agent"].map((name) => `/api/run/ ${name}`)],
  ["/runs/:run"],
  ["/alerts"],
  ["/alerts/destinations", "/api/destination/ name"],
  ["/alerts/deliveries"],
  ["/alerts/incident"],
  ["/playground"],
  ["/channels/:channel", "/api/channel/:id name"],
  ["/channels/add", "/api/models 1", "/api/group/ "],
  [
    "/channels/edit/:channel",
    ...["name", "base_url", "system_prompt"].map((name) => `/api/channel/:id ${name}`),
  ],
  [
    "/settings",
    "/api/user/sessions address",
    "/api/user/sessions user_agent",
    "/api/user/self display_name",
  ],
  ["/settings/keys"],
  ["/settings/notices"],
  ["/settings/operation"],
  ["/settings/system"],
  ["/settings/sign-in", "/api/oidc_provider/ name"],
  ["/settings/sign-in/:identity"],
  ["/settings/other"],
  ["/settings/other/:section"],
  ["/settings/changes", ...["actor", "action"].map((name) => `/api/audit/ ${name}`)],
  [
    "/users?size=100",
    ...["username", "display_name", "email", "group"].map((name) => `/api/user/ ${name}`),
  ],
  ["/users/add", "/api/group/ "],
  ["/users/batch", "/api/group/ "],
  ["/users/:user", "/api/user/:id username"],
  ["/users/edit", "/api/user/self username"],
  ["/users/edit/:user", "/api/user/:id username", "/api/user/:id display_name"],
  ["/redemptions?size=100", "/api/redemption/ name"],
  ["/redemptions/add"],
  ["/redemptions/edit/:redemption", "/api/redemption/:id name"],
  ["/login"],
  ["/register"],
  ["/reset"],
  ["/user/reset?email=a&token=b"],
  ["/oauth/github"],
  ["/oauth/lark"],
  ["/oauth/discord"],
  ["/oauth/linuxdo"],
  ["/oauth/telegram"],
  ["/oauth/wechat"],
  ["/oauth/proxy"],
  ["/oauth/oidc/:provider"],
];

test("F-96 the screens are all that the console has", { tags: ["F-96"] }, () => {
  const routes = readFileSync(join(repositoryDir, "console/src/routes.tsx"), "utf8");
  const callbacks = [...routes.matchAll(/path: "([^"]+)"/g)].map(([, path = ""]) => path);
  const pages = listPages(routes).map(({ parent, path }) =>
    parent === "settings" && path !== "/" ? `/settings${path}` : path,
  );
  const ofRoutes = [...callbacks, ...pages]
    .flatMap((path) =>
      path.endsWith("/{-$id}")
        ? [path.slice(0, -"/{-$id}".length), path.replace("{-$id}", "$id")]
        : [path],
    )
    .map((path) => path.replace(/\$\w+/, ":id").replace("/{-$tab}", ""));
  const visited = screens.map(([path]) =>
    path
      .replace(/\?.*|:\w+/g, (part) => (part.startsWith(":") ? ":id" : ""))
      .replace(/^\/oauth\/\w+$/, "/oauth/:id")
      // A tab is a part of its page.
      .replace(/^(\/\w+\/:id)\/\w+$/, "$1"),
  );
  expect([...new Set(visited)].toSorted()).toEqual([...new Set(ofRoutes)].toSorted());
});

test.each(screens)(
  "F-92 F-95 F-96 %s shows every text as text",
  { tags: ["F-96"], timeout: 600_000 },
  async (path, ...places) => {
    for (turn = 0; turn < assignments; turn += 1) {
      await open(path);
      await expectRead([...everywhere, ...places], path);
    }
    turn = 0;
  },
);

describe("what is opened", () => {
  const menuItem = (name: string) => page.getByRole("menuitem", { name, exact: true });
  const dialog = () => page.getByRole("dialog");
  const refusal = { status: 400, json: { success: false, message: everything } };
  /** Refuses every change with a message of all payloads. */
  const refuse = (route: Route) =>
    route.request().method() === "GET" ? route.fallback() : route.fulfill(refusal);
  const expectWhole = async (about: string) => {
    await expect.poll(() => unreadable(page, [everything]), { message: about }).toEqual([]);
    expect(await watched.violations(), about).toEqual([]);
  };
  const firstRows = assignments === 1 ? [0] : Array.from({ length: 20 }, (_, row) => row * 5);

  const plain = (text: string) => text.replaceAll(/[\s\0]+/g, " ").trim();

  test("F-96 the stored entry of a change shows its texts as they are", {
    tags: ["F-96"],
  }, async () => {
    await open("/settings/changes");
    await page.locator("tbody tr").first().click();
    await dialog().waitFor();
    const output = plain(await dialog().innerText());
    for (const place of ["/api/audit/ target", "/api/audit/ change"]) {
      const [text = ""] = placed.get(place) ?? [];
      expect(plain(text)).not.toBe("");
      expect(output).toContain(plain(text));
    }
    expect(await watched.violations(), output).toEqual([]);
  });

  test.each([
    ["/tokens?size=100", "/api/token/ name"],
    ["/channels?size=100", "/api/channel/ name"],
    ["/redemptions?size=100", "/api/redemption/ name"],
    ["/users?size=100", "/api/user/ username"],
  ])(
    "F-96 menus, questions and messages of %s name it as it is called",
    { tags: ["F-96"] },
    async (path, place) => {
      await open(path);
      await expectRead([place], path);
      // Not even root deletes the first of all accounts.
      for (const row of firstRows) {
        await page
          .locator("tbody tr")
          .nth(row + 1)
          .getByRole("button")
          .last()
          .click();
        await menuItem("Delete").click();
        await dialog().waitFor();
        const output = plain(await dialog().innerText());
        expect(
          (placed.get(place) ?? []).filter((name) => output.includes(plain(name))),
          output,
        ).not.toEqual([]);
        expect(await watched.violations(), output).toEqual([]);
        await page.route("**/api/**", refuse);
        await dialog().getByRole("button", { name: "Delete", exact: true }).click();
        await expectWhole(`refused: ${output}`);
        await page.unroute("**/api/**", refuse);
        await page.keyboard.press("Escape");
        await dialog().waitFor({ state: "detached" });
      }
    },
  );

  test("F-95 the trace of a call, what it says on hover, and the channels to choose from", {
    tags: ["F-95"],
  }, async () => {
    const path = "/logs?size=100";
    await open(path);
    await expectRead(["/api/log/ model_name"], path);
    const tip = page.locator("tbody [data-tip]").first();
    await tip.hover();
    await expect
      .poll(() => page.getByRole("tooltip").innerText())
      .toBe((await tip.getAttribute("data-tip"))?.trim());
    const combobox = page.getByRole("combobox", { name: "Channel" });
    await combobox.click();
    await expectRead(["/api/channel/search name"], "the channels to choose from");
    await combobox.press("Escape");
    await page.locator("tbody tr").first().getByText("Consume").click();
    const ofTrace = ["url", "channel_name", "reason"].map((name) => `/api/trace/log/:id ${name}`);
    await expectRead(ofTrace, "the trace");
    await page.keyboard.press("Escape");
  });

  test("F-93 charts by keyboard and as tables", { tags: ["F-93"] }, async () => {
    await open("/dashboard");
    await expectRead(["/api/user/dashboard ModelName"], "the charts");
    for (const chart of await page.getByRole("application").all()) {
      await chart.press("End");
      await chart.press("ArrowLeft");
    }
    const asTable = page.getByRole("button", { name: /: show as table$/ });
    while ((await asTable.count()) > 0) await asTable.first().click();
    await expectRead(["/api/user/dashboard ModelName"], "the tables");
  });

  test("F-93 suggestions while one searches", { tags: ["F-93"] }, async () => {
    await open("/tokens");
    await page.getByRole("combobox", { name: "Search tokens" }).fill("Service");
    await page.getByRole("listbox").getByRole("option").first().waitFor();
    await expectRead(["/api/token/search name"], "the suggestions");
  });

  const lists = ["/logs", "/tokens", "/channels", "/redemptions", "/users", "/dashboard"];
  test.each([...lists, "/models", "/topup", "/tokens/edit/:token", "/channels/edit/:channel"])(
    "F-93 the message of %s when loading fails",
    { tags: ["F-93"] },
    async (path) => {
      const fail = (route: Route) =>
        /\/api\/(status|notice|user\/self)/.test(route.request().url()) && path !== "/topup"
          ? route.fallback()
          : route.fulfill(refusal);
      await page.route("**/api/**", fail);
      await open(path);
      await expectWhole(path);
      await page.unroute("**/api/**", fail);
    },
  );

  const unexpected = [
    "<img src=x onerror=pwn()>",
    [null],
    { length: "<svg onload=pwn()>" },
    [{ id: {}, name: [] }],
  ];
  const broken = lists.flatMap((path, place) =>
    unexpected
      .filter((_, kind) => assignments > 1 || kind === place % unexpected.length)
      .map((data) => ({ path, data })),
  );
  test.each(broken)(
    "F-93 $path, which cannot read the response $data",
    { tags: ["F-93"] },
    async ({ path, data }) => {
      const answer = (route: Route) =>
        route.fulfill({ json: { success: true, message: everything, data, total: 1 } });
      const calls = /\/api\/((log|token|channel|redemption|user)\/\?|user\/dashboard)/;
      await page.route(calls, answer);
      await open(path);
      await page.waitForLoadState("networkidle");
      expect(await watched.violations(), path).toEqual([]);
      await page.unroute(calls, answer);
    },
  );

  const tried =
    assignments === 1 ? hostileAddresses.filter((_, place) => place % 9 === 0) : hostileAddresses;
  test("F-92 F-94 addresses that would run are neither framed, linked nor followed", {
    tags: ["F-92", "F-94"],
    timeout: 600_000,
  }, async () => {
    for (const address of tried) {
      const links = {
        chat_link: address,
        top_up_link: address,
        logo: address,
        github_oauth: true,
        github_client_id: "id",
        external_providers: ["github"],
      };
      const answer = async (route: Route) => {
        const { data, ...reply } = await (await route.fetch()).json();
        await route.fulfill({ json: { ...reply, data: { ...data, ...links } } });
      };
      const state = (route: Route) =>
        route.fulfill({
          json: { success: true, message: "", data: "state", github_authorize_url: address },
        });
      await page.route("**/api/status", answer);
      await page.route("**/api/oauth/state**", state);
      await open("/chat");
      await heading(page, "Chat Not Available").waitFor();
      await open("/topup");
      await heading(page, "Top Up").waitFor();
      const leading = page.getByRole("main").locator("a[target=_blank], iframe");
      expect(await leading.count(), address).toBe(0);
      await open("/login");
      await page.getByRole("button", { name: "GitHub" }).click();
      await page.getByRole("alert").getByText("Failed to acquire OAuth state").waitFor();
      expect(await watched.violations(), address).toEqual([]);
      await page.unroute("**/api/status", answer);
      await page.unroute("**/api/oauth/state**", state);
    }
  });
});
