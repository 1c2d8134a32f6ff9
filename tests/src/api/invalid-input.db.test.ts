import type {
  EndpointSchema as ContractSchema,
  Endpoint,
} from "@tollgate/contract/api/endpoint.ts";
import { catalogue } from "@tollgate/contract/catalogue/catalogue.ts";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { ruleDatabases, testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import { invalidValues, type JsonSchemaNode } from "./invalid-values.ts";
import {
  type ManagementGateway,
  password,
  startManagementGateway,
  type TestApiClient,
  type TestApiReply,
} from "./management-gateway.ts";

/** `passkeyAnswer` is that of a passkey that no one has. */
const passkeyAnswer = {
  id: "AA",
  type: "public-key",
  response: { clientDataJSON: "e30", authenticatorData: "AA", signature: "AA", userHandle: "AA" },
};

/**
 * A body of each operation that would be accepted, so that the one wrong field is the only error.
 */
const goodBodies: Record<string, Record<string, unknown>> = {
  login: { username: "nobody", password },
  sendVerification: { email: "nobody@example.org" },
  register: { username: "newcomer", password },
  requestReset: { email: "nobody@example.org" },
  resetPassword: { email: "nobody@example.org", token: "t", password },
  bindEmail: { email: "nobody@example.org", code: "123456" },
  updateSelf: { display_name: "Root" },
  setLanguage: { language: "de" },
  newAccessToken: {},
  deleteOidcProviderByPost: {},
  deleteSelfByPost: {},
  setupTotp: {},
  confirmTotp: { totp_code: "123456" },
  disableTotp: { totp_code: "123456" },
  finishPasskeyLogin: passkeyAnswer,
  finishPasskeyProof: passkeyAnswer,
  beginPasskeyRegistration: {},
  finishPasskeyRegistration: {
    ...passkeyAnswer,
    response: { clientDataJSON: "e30", authenticatorData: "AA", publicKey: "AA" },
  },
  renamePasskey: { name: "renamed" },
  removePasskeyByPost: {},
  newOauthStateByPost: {},
  endAtProvider: { logout_token: "t" },
  startDevice: {},
  issueAgentToken: { grant_type: "refresh_token", refresh_token: "s" },
  revokeAgentToken: { token: "s" },
  findDevice: { user_code: "BCDF-GHJK" },
  answerDevice: { user_code: "BCDF-GHJK", approve: true },
  finishExternalLink: { state: "s", verification_code: "123456" },
  listResetWays: { email: "a@example.com", token: "t" },
  finishExternalTotp: { state: "s", totp_code: "123456" },
  unbindExternalAccount: { provider: "github" },
  createOidcProvider: {
    slug: "new",
    name: "New",
    issuer: "https://login.example.com",
    client_id: "c",
  },
  updateOidcProvider: { id: 1, name: "renamed" },
  testOidcProvider: { issuer: "https://127.0.0.1:1", client_id: "c" },
  tryClaims: { rules: [], refuses_unmatched: false, claims: "{}" },
  createManagementKey: { name: "new", scopes: ["tokens:read"], lifetime_days: 1 },
  enableManagementKey: {},
  tryManagementKey: { operation: "listTokens" },
  beginSiteImport: { kind: "file", name: "before", environment: "A=b" },
  carrySiteImport: { current_password: "a password" },
  startShadowRun: { address: "https://old.example.com", hours: 1 },
  updateOption: { key: "SystemName", value: "Tollgate" },
  checkProvider: { type: 1, key: "k" },
  createToken: { name: "new" },
  updateToken: { id: 1, name: "renamed" },
  revealToken: { id: 1 },
  rotateToken: { id: 1, overlap_seconds: 0 },
  stopOldKey: { id: 1 },
  findToken: { key_hash: "0f".repeat(32) },
  findAnyToken: { key_hash: "0f".repeat(32) },
  disableAnyToken: { id: 1 },
  pauseAnyToken: { id: 1, pause_reason: "loops" },
  replaceAnyToken: { id: 1 },
  changeManyChannels: { ids: [1], verb: "disable" },
  changeManyUsers: { ids: [2], verb: "disable" },
  changeManyTokens: { ids: [1], verb: "disable" },
  changeManyRedemptions: { ids: [1], verb: "disable" },
  disableManyTokens: { ids: [1] },
  confirmTokenNotices: { until: 1 },
  findRedemption: { key_hash: "0f".repeat(32) },
  putToken: { name: "new" },
  updateTokenStatus: { id: 1, status: 2 },
  createUser: { username: "newcomer", password },
  updateUser: { id: 2, display_name: "renamed" },
  putUser: { username: "newcomer", password },
  updateUserStatus: { id: 2, status: 2 },
  manageUser: { username: "bystander", action: "disable" },
  topUpUser: { user_id: 2, quota: 5 },
  createRedemptions: { name: "new", quota: 5 },
  updateRedemption: { id: 1, name: "renamed" },
  putRedemption: { name: "new", quota: 5 },
  updateRedemptionStatus: { id: 1, status: 2 },
  redeemCode: { key: "0".repeat(32) },
  transferToUser: { username: "bystander", amount: 5 },
  createChannel: { name: "new", type: 1, key: "k" },
  createVirtualModel: {
    name: "virtual",
    tiers: [{ strategy: "weights", targets: [{ model: "m", weight: 1 }] }],
  },
  createMcpServer: { name: "pages", url: "https://mcp.example.com/rpc" },
  updateMcpServer: { id: 1, description: "renamed" },
  putMcpServer: { url: "https://mcp.example.com/rpc" },
  forgetModelEnd: { model: "m" },
  sayModelEnd: { model: "m", ends_on: "2026-12-11", replacement: "n" },
  changeModelPrices: { models: ["m"], set: { input: 1 } },
  readPriceList: { content: '{"m":{"input_cost_per_token":0.000001}}', name: "list" },
  decidePriceOffers: { revision: 0, models: ["m"], decision: "take" },
  stopRuns: { token_id: 1 },
  createTeam: { name: "new" },
  updateTeam: { id: 1, name: "renamed" },
  putTeam: { name: "put" },
  offerKeyToTeam: { token_id: 1 },
  answerKeyOffer: { token_id: 1, accept: true },
  releaseTeamKey: { token_id: 1 },
  setTeamMember: { user_id: 2, role: "member" },
  removeTeamMember: { user_id: 2 },
  inviteToTeam: { to: "bystander", role: "member" },
  resendTeamInvitation: { invitation_id: 1 },
  withdrawTeamInvitation: { invitation_id: 1 },
  readInvitation: { code: "c" },
  answerInvitation: { id: 1, accept: true },
  transferToTeam: { source: "issuance", amount: 5 },
  createTeamToken: { name: "new" },
  setTeamTokenStatus: { token_id: 1, status: 2 },
  createTeamCap: { name: "each", window: "week", amount: 5 },
  updateTeamCap: { cap_id: 1, name: "renamed" },
  removeTeamCap: { cap_id: 1 },
  createMemberCap: { user_id: 2, name: "one", window: "week", amount: 5 },
  updateMemberCap: { budget_id: 1, name: "renamed" },
  removeMemberCap: { budget_id: 1 },
  grantMemberCap: { budget_id: 1, amount: 5 },
  grantBudget: { amount: 5 },
  grantBudgetRequest: {},
  askBudget: { amount: 5 },
  addTeamPeople: { usernames: ["bystander"] },
  createTeamOfPeople: { name: "new", usernames: ["bystander"] },
  createBudgetTemplate: { subject: "user", name: "each", window: "month", amount: 5 },
  updateBudgetTemplate: { id: 1, name: "renamed" },
  putBudgetTemplate: { subject: "user", name: "each", window: "month", amount: 5 },
  createBudget: { subject: "model", model: "m", name: "monthly", window: "month", amount: 5 },
  setSpendingLimit: { amount: 5, window: "day" },
  updateBudget: { id: 1, name: "renamed" },
  putBudget: { subject: "model", model: "m", name: "monthly", window: "month", amount: 5 },
  updateVirtualModel: { id: 1, name: "renamed" },
  putVirtualModel: { tiers: [{ strategy: "weights", targets: [{ model: "m", weight: 1 }] }] },
  createDestination: { name: "chat", kind: "slack", address: "https://example.org/hook" },
  updateDestination: { name: "renamed", disabled: false },
  putDestination: { name: "chat", kind: "slack", address: "https://example.org/hook" },
  muteAlert: { hours: 1 },
  createOwnDestination: { name: "mine", kind: "webhook", address: "https://example.org/hook" },
  updateOwnDestination: { name: "renamed", disabled: false },
  verifyOwnDestination: { verification_code: "000000" },
  setNoticeSettings: { balance_below: 5 },
  updateChannel: { id: 1, name: "renamed" },
  putChannel: { name: "new", type: 1, key: "k" },
  applyConfiguration: { file: "f", document: { apiVersion: "tollgate/v1" } },
  updateChannelStatus: { id: 1, status: 2 },
  updateChannelKey: { place: 1, status: 2 },
  updateChannelProxy: { proxy: "http://proxy.example:3128" },
  updateCostReport: { key: "sk-admin-key", scope: "proj_1", channel_ids: [1] },
};

/** Bounds that stand behind a conversion, where JSON Schema does not show them. */
const badQueries: [path: string, field: string, ...values: string[]][] = [
  ...[
    "/api/token/",
    "/api/token/search",
    "/api/user/",
    "/api/user/search",
    "/api/redemption/",
    "/api/redemption/search",
    "/api/channel/",
    "/api/log/",
    "/api/log/self",
    "/api/log/search",
  ].flatMap((path): [string, string, ...string[]][] => [
    [path, "p", "-1", "1.5", "abc", "1e3", "99999999", "0x10", " 1", "9".repeat(40)],
    [path, "size", "-1", "abc", "1.5"],
    [
      path,
      "sort",
      "id;--",
      "(select 1)",
      "id desc",
      "__proto__",
      "constructor",
      "toString",
      "ＩＤ",
    ],
    [path, "order", "ascending", "desc,(select 1)", "1"],
  ]),
  ...[
    "/api/log/",
    "/api/log/self",
    "/api/log/stat",
    "/api/log/self/stat",
    "/api/log/tail",
    "/api/log/export",
  ].flatMap((path): [string, string, ...string[]][] => [
    [path, "type", "10", "-1", "abc"],
    [path, "start_timestamp", "-1", "abc", "253402300800", "1.5"],
    [path, "end_timestamp", "-1", "1795100000123"],
    [path, "model_name", "x".repeat(201), "a\0b"],
  ]),
  ["/api/log/export", "time_zone", "Nowhere", "+25:00", "x".repeat(65)],
  ["/api/log/", "channel", "0", "abc", "0199aa10-0000-4000-8000-000000000001"],
  ["/api/user/dashboard", "from_date", "2026-13-01", "2026-02-30", "yesterday", "20261101"],
  ["/api/user/dashboard", "to_date", "2026-11-31"],
  ["/api/user/dashboard", "user_id", "everyone", "0", "-1"],
  ["/api/channel/", "status", "4", "-1", "on"],
  ["/api/channel/", "external_id", "x".repeat(101), " x"],
  ["/api/channel/", "tag", "x".repeat(65), "a\0b"],
  ["/api/channel/test", "scope", "some", "0"],
  ["/api/channel/metadata", "type", "abc", "0", "1001"],
  ["/api/channel/default-pricing", "type", "1.5", "-1"],
  ["/api/user/search", "keyword", "x".repeat(101)],
  ["/api/user/", "deleted", "x".repeat(17)],
  ["/api/redemption/search", "keyword", "x".repeat(101)],
  ["/api/token/search", "keyword", "x".repeat(101), "\0"],
];

const badIds = [
  "0",
  "-1",
  "1.5",
  "abc",
  "1e3",
  "%00",
  "9".repeat(17),
  "0199aa10-0000-4000-8000-000000000001",
  "1;2",
  "__proto__",
];

const schemaOf = (schema: ContractSchema | undefined): JsonSchemaNode =>
  schema ? (z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchemaNode) : {};
const pathOf = ({ path, variant }: Endpoint, id = /:(?:slug|name)\b/.test(path) ? "first" : "1") =>
  path.replace(/:\w+/, id) + (variant ? `?${variant}=1` : "");
/** Whatever a body holds, these go on without it: they are meant to be called with an empty one. */
const needsNothing = [
  "startDevice",
  "login",
  "newAccessToken",
  "deleteOidcProviderByPost",
  "deleteSelfByPost",
  "setupTotp",
];
const withBody = catalogue.filter(({ endpoint }) => endpoint.body);

const tables = [
  "users",
  "wallets",
  "tokens",
  "redemptions",
  "channels",
  "virtual_models",
  "mcp_servers",
  "prices",
  "offered_prices",
  "budgets",
  "budget_templates",
  "teams",
  "team_members",
  "team_invitations",
  "team_key_offers",
  "oidc_providers",
  "alerts",
  "destinations",
  "notices",
  "logs",
  "traces",
  "ledger",
  "audit_entries",
  "options",
  "second_factors",
  "recovery_codes",
  "idempotency_keys",
] as const;
const everything = ({ db }: ManagementGateway) =>
  Promise.all(tables.map((table) => db.read(db.sql.selectFrom(table).selectAll().limit(1000))));

let gateway: ManagementGateway;
let root: TestApiClient;
/** `stored` is what the test before has left. */
let stored: Awaited<ReturnType<typeof everything>>;

/** A gateway with one of everything. */
async function start(database: (typeof testDatabases)[number]): Promise<void> {
  gateway = await startManagementGateway(database);
  root = await gateway.signIn("root");
  await gateway.addUser("bystander");
  await root("POST", "/api/redemption/", { body: { name: "first", quota: 5 } });
  await root("POST", "/api/token/", { body: { name: "first" } });
  await root("POST", "/api/channel/", { body: { name: "first", type: 1, key: "k" } });
  await root("POST", "/api/budget/", { body: goodBodies.createBudget });
  await root("POST", "/api/budget_template/", { body: goodBodies.createBudgetTemplate });
  await root("POST", "/api/team/", { body: { name: "first" } });
  await root("POST", "/api/oidc_provider/", {
    body: { ...goodBodies.createOidcProvider, slug: "first" },
  });
  await root("POST", "/api/virtual_model/", {
    body: { ...goodBodies.createVirtualModel, name: "first" },
  });
  await root("POST", "/api/mcp_server/", {
    body: { ...goodBodies.createMcpServer, name: "first" },
  });
  stored = await everything(gateway);
}

async function expectUnchanged(): Promise<void> {
  const before = stored;
  stored = await everything(gateway);
  expect(stored).toEqual(before);
}

const expectRefused = (reply: TestApiReply, field: string, value: unknown) => {
  const about = `${field} = ${JSON.stringify(value)?.slice(0, 80)}`;
  expect(reply.status, about).toBe(400);
  expect(reply.body, about).toMatchObject({ success: false, code: "invalid_request" });
  // A sentence of the specifications, or one that begins with the field's name.
  const named = Object.keys(reply.body.fields ?? {}).some((name) => name.split(".")[0] === field);
  expect(named || reply.body.message.startsWith(field), `${about}: ${reply.body.message}`).toBe(
    true,
  );
  expect(reply.body.message.length, about).toBeGreaterThan(8);
};

test("every operation with a body has a good one here", () => {
  expect(Object.keys(goodBodies).sort()).toEqual(withBody.map(({ name }) => name).sort());
});

// Refused by the contract, whichever database stands behind it.
describe.each(ruleDatabases)("bad input that no database sees, on $name", (database) => {
  beforeAll(() => start(database));
  afterAll(() => gateway.close());

  /**
   * Each field with some of the values that its schema forbids, and without those that it requires.
   */
  async function tryBody(
    { name, endpoint }: (typeof withBody)[number],
    valuesOf: (values: unknown[]) => unknown[],
  ) {
    const { properties = {}, required = [] } = schemaOf(endpoint.body);
    const good = goodBodies[name] ?? {};
    const send = (body: unknown) => root(endpoint.method, pathOf(endpoint), { body });
    for (const [field, schema] of Object.entries(properties)) {
      const values = invalidValues(schema);
      expect(values.length, field).toBeGreaterThan(3);
      for (const value of valuesOf(values))
        expectRefused(await send({ ...good, [field]: value }), field, value);
    }
    for (const field of required) {
      const { [field]: _, ...without } = good;
      expectRefused(await send(without), field, undefined);
    }
    for (const body of [null, [], [good], "text", 7, true])
      expect((await send(body)).status).toBe(400);
    await expectUnchanged();
  }

  test.each(withBody)("each field of the body of $name", { tags: ["F-58", "F-59"] }, (operation) =>
    // The last one is just outside a bound, or text with a NUL.
    tryBody(operation, (values) => values.slice(-1)),
  );

  test.each(withBody)(
    "every bad value of each field of the body of $name",
    {
      tags: ["F-58", "F-59", "large"],
    },
    (operation) => tryBody(operation, (values) => values),
  );

  test.each(badQueries)(
    "%s refuses bad values of %s",
    { tags: ["F-61"] },
    async (path, field, ...values) => {
      for (const value of values)
        expectRefused(
          await root("GET", `${path}?${field}=${encodeURIComponent(value)}`),
          field,
          value,
        );
    },
  );

  test("the moment before which logs are cleared must be one", async () => {
    for (const value of ["", "abc", "-1", "1795100000123"])
      expect((await root("DELETE", `/api/log/?target_timestamp=${value}`)).status).toBe(400);
    await expectUnchanged();
  });

  test("nothing went wrong inside", () => expect(gateway.problems).toEqual([]));
});

describeVariants(testDatabases)("bad input on $name", (database) => {
  beforeAll(() => start(database));
  afterAll(() => gateway.close());

  test.each(catalogue.filter(({ endpoint }) => endpoint.path.includes(":")))(
    "ids in the path of $name",
    async ({ endpoint }) => {
      const name = /:(\w+)/.exec(endpoint.path)?.[1] ?? "";
      for (const id of name === "id" ? badIds : ["%00", "a b", "x".repeat(65), "..%2f"]) {
        const reply = await root(
          endpoint.method,
          pathOf(endpoint, encodeURI(decodeURIComponent(id)).replace("\0", "%00")),
        );
        // 415: what is no id can be an external id, which then misses its body.
        expect([400, 404, 415], `${id}: ${reply.status}`).toContain(reply.status);
      }
      await expectUnchanged();
    },
  );

  test("no JSON value, however nested or typed, does harm", async () => {
    const operation = fc.constantFrom(
      ...withBody.filter(({ name }) => !needsNothing.includes(name)),
    );
    const noise = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })),
    );
    await fc.assert(
      fc.asyncProperty(operation, noise, async ({ name, endpoint }, body) => {
        const named =
          typeof body === "object" && body !== null && name.startsWith("update")
            ? { ...body, id: 999_999 }
            : body;
        const reply = await root(endpoint.method, pathOf(endpoint), { body: named });
        // A user's own update ignores what it does not know; everything else needs members that
        // noise does not have.
        expect([200, 400]).toContain(reply.status);
        expect(typeof reply.body.success).toBe("boolean");
      }),
      { numRuns: 400 },
    );
    await expectUnchanged();
  });

  test("no query string, however formed, does harm", { tags: ["large"] }, async () => {
    const reads = catalogue.filter(
      ({ endpoint }) => endpoint.method === "GET" && endpoint.query && !endpoint.proof,
    );
    const fields = [
      "p",
      "size",
      "sort",
      "order",
      "keyword",
      "type",
      "model_name",
      "token_name",
      "username",
      "channel",
    ];
    const query = fc.dictionary(
      fc.oneof(fc.constantFrom(...fields), fc.string()),
      fc.oneof(fc.string(), fc.string({ unit: "binary" })),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...reads), query, async ({ endpoint }, members) => {
        const text = Object.entries(members).map(
          ([name, value]) =>
            `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(value.toWellFormed())}`,
        );
        const reply = await root("GET", `${pathOf(endpoint)}?${text.join("&")}`);
        expect([200, 400]).toContain(reply.status);
      }),
      { numRuns: 400 },
    );
  });

  test("nothing went wrong inside", () => expect(gateway.problems).toEqual([]));
});
