import { createHash } from "node:crypto";
import { catalogue } from "@tollgate/contract/catalogue/catalogue.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";
import { addTotpUser } from "./totp-users.ts";

/**
 * Operations of administrators that change nothing of consequence: tests, and balances at the
 * provider.
 */
const unrecorded = [
  "cancelChannelJob",
  // Needs a source that can be read: tests/src/import/site-import.api.test.ts looks at its entries.
  "carrySiteImport",
  // Write nothing but the source that beginSiteImport names, or end what carrySiteImport began.
  "planSiteImport",
  "stopSiteImport",
  "uploadSiteImport",
  // Asks a provider with a key that is not stored.
  "checkProvider",
  // Asks a provider and changes nothing.
  "compareModels",
  "testMcpServer",
  "testOidcProvider",
  "tryClaims",
  // A look-up by hash.
  "findRedemption",
  // Asks the provider with the key that is stored, whose setting is recorded.
  "readCostReport",
  "testChannel",
  "testChannelByGet",
  "testChannels",
  "testChannelsByGet",
  "updateBalance",
  "updateBalanceByGet",
  "updateBalances",
  "updateBalancesByGet",
];

describeVariants(testDatabases)("the record of changes on $name", (database) => {
  let gateway: ManagementGateway;
  let root: TestApiClient;
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    root = await gateway.signIn("root");
  });
  afterAll(() => gateway.close());

  const put = (key: string, value: string) => root("PUT", "/api/option/", { body: { key, value } });
  const page = async (query = "") => (await root("GET", `/api/audit/?${query}`)).body;
  const exported = async () => {
    const { headers, body } = await root("GET", "/api/audit/export");
    const lines = String(body.data).split("\n");
    expect(lines.pop()).toBe("");
    return { headers, entries: lines.map((line) => JSON.parse(line)) };
  };
  const run = (text: string) =>
    gateway.db.write([{ query: { compile: () => sql.raw(text).compile(gateway.db.sql) } }]);

  test("shows root who changed what, when and from where, newest first", async () => {
    await put("SystemName", "One");
    gateway.clock.now += 1_000;
    await put("SystemName", "Two, with 雪");
    const { data, total } = await page("size=2");
    expect(data).toEqual([
      {
        id: expect.any(Number),
        at: gateway.clock.now,
        actor_id: expect.any(Number),
        actor: "root",
        address: expect.stringMatching(/127\.0\.0\.1$/),
        action: "option.change",
        target: "SystemName",
        target_name: "",
        change: JSON.stringify({ from: "One", to: "Two, with 雪" }),
        change_names: {},
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
      expect.objectContaining({ at: gateway.clock.now - 1_000 }),
    ]);
    expect(total).toBeGreaterThanOrEqual(2);
    expect((await page(`size=2&p=1`)).data[0]?.id).not.toBe(data[0].id);
  });

  test("is narrowed to a kind of thing, a person, one thing, or all of these", async () => {
    const helper = await gateway.addUser("helper", { role: 100 });
    const helperClient = await gateway.signIn("helper");
    await helperClient("PUT", "/api/option/", { body: { key: "Footer", value: "By the helper" } });
    await put("Footer", "By root");
    const told = async (query: string) => {
      const { data, total } = await page(query);
      expect(total).toBe(data.length);
      return data.map(({ actor, action, target }: Record<string, string>) => [
        actor,
        action,
        target,
      ]);
    };
    const [byHelper, byRoot] = ["helper", "root"].map((actor) => [
      actor,
      "option.change",
      "Footer",
    ]);
    expect(await told("subject=option&target=Footer")).toEqual([byRoot, byHelper]);
    expect(await told("actor=helper&subject=option")).toEqual([byHelper]);
    // Not by the beginning of a word, not by a part of a name, and "_" stands for itself.
    for (const none of [
      "subject=opt",
      "actor=help",
      `actor=helper&target=${helper.uuid}`,
      "subject=o_tion",
    ])
      expect(await told(none)).toEqual([]);
    expect((await page("subject=&actor=&target=")).total).toBe((await page()).total);
    expect((await root("GET", "/api/audit/?subject=Option'")).status).toBe(400);
  });

  test("calls whom a change mentions by their names, as they are now", async () => {
    const [guest, host] = [await gateway.addUser("guest"), await gateway.addUser("host")];
    const nobody = "01a22ccf-27b7-7541-bfba-0783b21ef573";
    const change = { inviter: host.uuid, earlier: [nobody], note: "host" };
    const entry = { at: 1, actorId: 1, address: "", action: "user.register", change };
    await gateway.db.write(gateway.db.audit({ ...entry, target: guest.uuid }));
    expect((await page(`target=${guest.uuid}`)).data).toMatchObject([
      { target_name: "guest", change_names: { [host.uuid]: "host" } },
    ]);
    expect(Object.keys((await page(`target=${guest.uuid}`)).data[0].change_names)).toHaveLength(1);
  });

  test("is for root alone, and cannot be changed or cleared", async () => {
    await gateway.addUser("assistant", { role: 10 });
    const admin = await gateway.signIn("assistant");
    for (const path of ["/api/audit/", "/api/audit/export"]) {
      expect((await admin("GET", path)).status).toBe(403);
      expect((await gateway.visitor("GET", path)).status).toBe(401);
      for (const method of ["POST", "PUT", "DELETE"])
        expect((await root(method, path)).status).toBe(404);
    }
  });

  test("is exported whole, oldest first, so that the chain can be verified from the file", async () => {
    const entry = { at: 1, actorId: 1, address: "", action: "a.b", target: "", change: { n: 1 } };
    for (let n = 0; n < 12; n += 1)
      await gateway.db.write(Array.from({ length: 100 }, () => gateway.db.audit(entry)).flat());
    const { headers, entries } = await exported();
    expect(headers.get("content-type")).toBe("application/x-ndjson; charset=utf-8");
    expect(headers.get("content-disposition")).toBe('attachment; filename="changes.ndjson"');
    expect(entries.length).toBe((await page()).total);
    expect(entries.length).toBeGreaterThan(1_200);
    let previous = "0".repeat(64);
    for (const { at, actor_id, address, action, target, change, previous_hash, hash } of entries) {
      expect(previous_hash).toBe(previous);
      const payload = `${JSON.stringify([at, actor_id, address, action, target]).slice(0, -1)},${change}]`;
      previous = createHash("sha256")
        .update(previous + payload)
        .digest("hex");
      expect(hash).toBe(previous);
    }
  });

  test("every operation that administrators change something with leaves an entry", async () => {
    const made = async (path: string, body: object) => {
      const reply = await root("POST", path, { body });
      expect(reply.body).toMatchObject({ success: true });
      return Array.isArray(reply.body.data) ? reply.body.data[0] : reply.body.data;
    };
    const user = await gateway.addUser("changed");
    const debtor = await gateway.addUser("debtor");
    await run(
      `update wallets set debt = 5 where id = (select wallet_id from users where id = ${debtor.id})`,
    );
    const enrolled = await addTotpUser(gateway, "enrolled");
    const config = JSON.stringify({ multi_key: true });
    const several = await made("/api/channel/", {
      name: "c",
      type: 1,
      key: "key-one-aaaa\nkey-two-bbbb",
      config,
    });
    const [, other] = [
      await made("/api/redemption/", { name: "r", quota: 1, count: 1 }),
      (await root("GET", "/api/redemption/")).body.data[0],
    ];
    await made("/api/redemption/", { name: "spare", quota: 1, count: 1 });
    const [spare] = (await root("GET", "/api/redemption/search?keyword=spare")).body.data;
    const key = await made("/api/token/", { name: "t" });
    const crew = await made("/api/team/", { name: "crew" });
    const moved = await made("/api/token/", { name: "moved" });
    await made(`/api/team/${crew.id}/offer_key`, { token_id: moved.id });
    const tiers = [{ strategy: "weights", targets: [{ model: "small", weight: 1 }] }];
    const tools = await made("/api/mcp_server/", {
      name: "pages",
      url: "https://mcp.example.com/rpc",
    });
    const virtual = await made("/api/virtual_model/", { name: "v", tiers });
    const limit = { subject: "site", name: "all", window: "month", amount: 5 };
    const budget = await made("/api/budget/", limit);
    const perKey = { subject: "token", name: "each key", window: "month", amount: 5 };
    const template = await made("/api/budget_template/", perKey);
    const oidc = {
      slug: "company",
      name: "Company",
      issuer: "https://login.example.com",
      client_id: "c",
    };
    const login = await made("/api/oidc_provider/", oidc);
    const passing = await made("/api/oidc_provider/", { ...oidc, slug: "passing" });
    const second = await made("/api/token/", { name: "second" });
    const third = await made("/api/token/", { name: "third" });
    const channel = { name: "new", type: 1, key: "key-of-a-provider" };
    const person = { username: "newcomer", password: "correct horse", quota: 5 };
    await gateway.addUser("seller", { role: 10 });
    const seller = await gateway.signIn("seller");
    const asked = async (quota: number): Promise<number> => {
      await seller("POST", "/api/topup", { body: { user_id: user.id, quota } });
      return (await root("GET", "/api/quota_request/")).body.data.at(-1).id;
    };
    const [approved, refused] = [await asked(60_000_000), await asked(70_000_000)];
    const hook = await made("/api/destination/", {
      name: "h",
      kind: "webhook",
      address: "https://example.org/",
    });
    await gateway.alerts.fold();
    await run("update notices set state = 'failed'");
    const [notice] = (await root("GET", "/api/delivery/")).body.data;
    const operations: Record<string, [method: string, path: string, body?: object]> = {
      updateOption: ["PUT", "/api/option/", { key: "Footer", value: "changed" }],
      createUser: ["POST", "/api/user/", person],
      updateUser: ["PUT", "/api/user/", { id: user.id, display_name: "Changed" }],
      updateUserStatus: ["PUT", "/api/user/?status_only=1", { id: user.id, status: 2 }],
      manageUser: ["POST", "/api/user/manage", { username: "changed", action: "enable" }],
      waiveDebt: ["POST", `/api/user/${debtor.id}/waive_debt`],
      topUpUser: ["POST", "/api/topup", { user_id: user.id, quota: 1 }],
      approveQuotaRequest: ["POST", `/api/quota_request/${approved}/approve`],
      refuseQuotaRequest: ["DELETE", `/api/quota_request/${refused}`],
      resetTotp: ["POST", `/api/user/totp/disable/${enrolled.id}`],
      putUser: [
        "PUT",
        "/api/user/by-external/one",
        { username: "first", password: "correct horse" },
      ],
      deleteUser: ["DELETE", `/api/user/${enrolled.id}`],
      createChannel: ["POST", "/api/channel/", channel],
      putChannel: ["PUT", "/api/channel/by-external/west", channel],
      applyConfiguration: [
        "POST",
        "/api/config/apply",
        {
          file: "f",
          document: {
            apiVersion: "tollgate/v1",
            channels: [{ ...channel, name: "of a file", type: "openai" }],
          },
        },
      ],
      changeManyChannels: [
        "POST",
        "/api/channel/bulk",
        { ids: [several.id], verb: "set_priority", priority: 7 },
      ],
      updateChannel: ["PUT", "/api/channel/", { id: several.id, name: "renamed" }],
      updateChannelKey: ["PUT", `/api/channel/${several.id}/key`, { place: 1, status: 2 }],
      updateChannelProxy: [
        "PUT",
        `/api/channel/${several.id}/proxy`,
        { proxy: "http://proxy.example:3128" },
      ],
      updateChannelStatus: ["PUT", "/api/channel/?status_only=1", { id: several.id, status: 2 }],
      updateCostReport: ["PUT", `/api/cost_report/${several.id}`, { key: "sk-admin-key" }],
      deleteCostReport: ["DELETE", `/api/cost_report/${several.id}`],
      duplicateChannel: ["POST", `/api/channel/${several.id}/duplicate`],
      deleteDisabledChannels: ["DELETE", "/api/channel/disabled"],
      deleteChannel: ["DELETE", "/api/channel/2"],
      createRedemptions: ["POST", "/api/redemption/", { name: "new", quota: 1, count: 1 }],
      putRedemption: ["PUT", "/api/redemption/by-external/one", { name: "put", quota: 1 }],
      updateRedemption: ["PUT", "/api/redemption/", { id: other.id, name: "renamed" }],
      updateRedemptionStatus: [
        "PUT",
        "/api/redemption/?status_only=1",
        { id: other.id, status: 2 },
      ],
      deleteRedemption: ["DELETE", `/api/redemption/${other.id}`],
      createBudget: ["POST", "/api/budget/", limit],
      putBudget: ["PUT", "/api/budget/by-external/one", { ...limit, name: "put" }],
      updateBudget: ["PUT", "/api/budget/", { id: budget.id, amount: 6 }],
      grantBudget: ["POST", `/api/budget/${budget.id}/grant`, { amount: 5 }],
      deleteBudget: ["DELETE", `/api/budget/${budget.id}`],
      putTeam: ["PUT", "/api/team/by-external/one", { name: "put" }],
      releaseTeamKey: ["POST", `/api/team/${crew.id}/release_key`, { token_id: moved.id }],
      addTeamPeople: ["POST", "/api/team/1/people", { usernames: ["root"] }],
      createTeamOfPeople: ["POST", "/api/team/of_people", { name: "u", usernames: ["root"] }],
      createBudgetTemplate: ["POST", "/api/budget_template/", perKey],
      putBudgetTemplate: [
        "PUT",
        "/api/budget_template/by-external/one",
        { ...perKey, subject: "user" },
      ],
      updateBudgetTemplate: ["PUT", "/api/budget_template/", { id: template.id, amount: 6 }],
      deleteBudgetTemplate: ["DELETE", `/api/budget_template/${template.id}`],
      createOidcProvider: ["POST", "/api/oidc_provider/", { ...oidc, slug: "second" }],
      updateOidcProvider: ["PUT", "/api/oidc_provider/", { id: login.id, name: "Renamed" }],
      deleteOidcProvider: ["DELETE", `/api/oidc_provider/${login.id}`],
      sayModelEnd: ["POST", "/api/model_end/", { model: "small", ends_on: "2026-12-11" }],
      forgetModelEnd: ["POST", "/api/model_end/forget", { model: "small" }],
      deleteOidcProviderByPost: ["POST", `/api/oidc_provider/${passing.id}/delete`, {}],
      changeModelPrices: ["POST", "/api/price/bulk", { models: ["small"], set: { input: 1 } }],
      readPriceList: [
        "POST",
        "/api/price/offers/read",
        { content: '{"small":{"input_cost_per_token":0.000007}}' },
      ],
      decidePriceOffers: [
        "POST",
        "/api/price/offers/decide",
        { revision: 1, models: ["small"], decision: "take" },
      ],
      createMcpServer: [
        "POST",
        "/api/mcp_server/",
        { name: "files", url: "https://mcp.example.com/rpc" },
      ],
      putMcpServer: ["PUT", "/api/mcp_server/by-name/put", { url: "https://mcp.example.com/rpc" }],
      updateMcpServer: ["PUT", "/api/mcp_server/", { id: tools.id, enabled: false }],
      deleteMcpServer: ["DELETE", `/api/mcp_server/${tools.id}`],
      createVirtualModel: ["POST", "/api/virtual_model/", { name: "w", tiers }],
      putVirtualModel: ["PUT", "/api/virtual_model/by-name/put", { tiers }],
      updateVirtualModel: ["PUT", "/api/virtual_model/", { id: virtual.id, enabled: false }],
      deleteVirtualModel: ["DELETE", `/api/virtual_model/${virtual.id}`],
      findAnyToken: ["POST", "/api/token/all/find", { key_hash: "0".repeat(64) }],
      disableAnyToken: ["POST", "/api/token/all/disable", { uuid: key.uuid }],
      pauseAnyToken: ["POST", "/api/token/all/pause", { uuid: third.uuid }],
      replaceAnyToken: ["POST", "/api/token/all/replace", { uuid: key.uuid }],
      changeManyUsers: ["POST", "/api/user/bulk", { ids: [user.id], verb: "disable" }],
      changeManyRedemptions: ["POST", "/api/redemption/bulk", { ids: [spare.id], verb: "delete" }],
      disableManyTokens: ["POST", "/api/token/all/bulk", { ids: [second.uuid] }],
      createDestination: [
        "POST",
        "/api/destination/",
        { name: "n", kind: "webhook", address: "https://example.org/" },
      ],
      putDestination: ["PUT", "/api/destination/by-external/one", { name: "p", kind: "mail" }],
      updateDestination: ["POST", `/api/destination/${hook.id}`, { name: "m", disabled: false }],
      rotateDestination: ["POST", `/api/destination/${hook.id}/rotate`],
      testDestination: ["POST", "/api/destination/1/test"],
      resendNotice: ["POST", `/api/delivery/${notice.id}/send`],
      deleteDestination: ["DELETE", `/api/destination/${hook.id}`],
      muteAlert: ["POST", "/api/alert/1/mute", { hours: 1 }],
      beginSiteImport: ["POST", "/api/site_import", { kind: "file" }],
      removeSiteImport: ["DELETE", "/api/site_import"],
      startShadowRun: ["PUT", "/api/shadow", { address: "https://old.example.com", hours: 1 }],
      stopShadowRun: ["DELETE", "/api/shadow"],
      clearLogs: ["DELETE", "/api/log/?target_timestamp=1"],
    };
    const changing = catalogue
      .filter(
        ({ endpoint: { access, method, proof } }) =>
          /admin|root/.test(access) && (method !== "GET" || proof),
      )
      .map(({ name }) => name);
    expect(changing.filter((name) => !unrecorded.includes(name)).sort()).toEqual(
      Object.keys(operations).sort(),
    );

    const count = async () => (await page()).total ?? 0;
    for (const [name, [method, path, body]] of Object.entries(operations)) {
      const before = await count();
      const reply = await root(method, path, body ? { body } : {});
      expect([name, reply.body.success, reply.body.message]).toEqual([name, true, ""]);
      expect([name, (await count()) > before]).toEqual([name, true]);
    }
  });

  test("a change that cannot be recorded does not happen", async () => {
    const name = async () => (await gateway.visitor("GET", "/api/status")).body.data.system_name;
    const before = await name();
    await run("alter table audit_entries rename to audit_entries_away");
    try {
      expect((await put("SystemName", "unrecorded")).body.success).toBe(false);
      const username = "unrecorded";
      const made = await root("POST", "/api/user/", {
        body: { username, password: "correct horse", quota: 5 },
      });
      expect(made.body.success).toBe(false);
    } finally {
      await run("alter table audit_entries_away rename to audit_entries");
    }
    expect(await name()).toBe(before);
    expect((await root("GET", "/api/user/search?keyword=unrecorded")).body.data).toEqual([]);
    gateway.problems.length = 0;
    expect((await put("SystemName", "recorded")).body.success).toBe(true);
  });
});
