import type { Endpoint } from "@tollgate/contract/api/endpoint.ts";
import { catalogue } from "@tollgate/contract/catalogue/catalogue.ts";
import { createPasskeyStore } from "@tollgate/gateway/accounts/identity/passkeys/passkey-store.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod/mini";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";
import { addCallBody } from "./seed-bodies.ts";
import { addSettledCall } from "./seed-logs.ts";

interface OwnedResource {
  id: number | string;
  uuid: string;
}

/**
 * Everything that a user may name and that belongs to one user alone; `trace_id` and session ids
 * have one form only.
 */
const owned: Record<string, keyof OwnedResources> = {
  deleteCallBody: "log",
  deleteManagementKey: "managementKey",
  deleteOwnDestination: "destination",
  deleteToken: "token",
  disableManagementKey: "managementKey",
  enableManagementKey: "managementKey",
  tryManagementKey: "managementKey",
  endSession: "session",
  continueRun: "run",
  getRun: "run",
  stopRun: "run",
  getCallBody: "log",
  getToken: "token",
  getTrace: "trace",
  getTraceOfLog: "log",
  removePasskey: "passkey",
  removePasskeyByPost: "passkey",
  renamePasskey: "passkey",
  revealToken: "token",
  rotateToken: "token",
  rotateOwnDestination: "destination",
  sendOwnDestinationCode: "destination",
  setSpendingLimit: "token",
  stopOldKey: "token",
  answerKeyOffer: "team",
  askBudget: "budget",
  declineBudgetRequest: "budgetRequest",
  grantBudgetRequest: "budgetRequest",
  grantMemberCap: "team",
  createMemberCap: "team",
  createTeamCap: "team",
  createTeamToken: "team",
  deleteTeam: "team",
  exportTeamStatement: "team",
  getTeam: "team",
  getTeamStatement: "team",
  inviteToTeam: "team",
  listKeyOffers: "team",
  listTeamBudgets: "team",
  listTeamCaps: "team",
  listTeamInvitations: "team",
  listTeamMembers: "team",
  resendTeamInvitation: "team",
  listTeamTokens: "team",
  offerKeyToTeam: "team",
  removeMemberCap: "team",
  removeTeamCap: "team",
  removeTeamMember: "team",
  setTeamMember: "team",
  setTeamTokenStatus: "team",
  transferToTeam: "team",
  updateMemberCap: "team",
  updateTeamCap: "team",
  updateTeam: "team",
  withdrawTeamInvitation: "team",
  testOwnDestination: "destination",
  updateOwnDestination: "destination",
  updateToken: "token",
  updateTokenStatus: "token",
  verifyOwnDestination: "destination",
};
type OwnedResources = Record<
  | "token"
  | "team"
  | "budget"
  | "budgetRequest"
  | "managementKey"
  | "destination"
  | "passkey"
  | "session"
  | "log"
  | "trace"
  | "run",
  { mine: OwnedResource; missing: OwnedResource }
>;

const inBody = ({ body }: Endpoint) =>
  body !== undefined && "uuid" in (z.toJSONSchema(body, { io: "input" }).properties ?? {});
const namesSomething = (endpoint: Endpoint) => endpoint.path.includes(":") || inBody(endpoint);
/**
 * External ids are each user's own (external-ids.db.test.ts): that of another user means nothing.
 */
const isForUsers = ({ access, path }: Endpoint) =>
  access === "user" && !path.includes(":external_id");
const forUsers = catalogue.filter(
  ({ endpoint }) => isForUsers(endpoint) && namesSomething(endpoint),
);

function ask(client: TestApiClient, endpoint: Endpoint, ref: number | string, body: object) {
  const path =
    endpoint.path.replace(/:\w+/, String(ref)) + (endpoint.variant ? `?${endpoint.variant}=1` : "");
  return client(endpoint.method, path, endpoint.body ? { body } : {});
}

describeVariants(testDatabases)("what belongs to another user, on $name", (database) => {
  let gateway: ManagementGateway;
  let [owner, stranger]: TestApiClient[] = [];
  let things: OwnedResources;
  const missingUuid = "01999999-9999-7999-8999-999999999999";

  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    const mira = await gateway.addUser("mira");
    await gateway.addUser("noor");
    [owner, stranger] = [await gateway.signIn("mira"), await gateway.signIn("noor")];
    const { data: token } = (
      await owner("POST", "/api/token/", { body: { name: "ci", unlimited_quota: true } })
    ).body;
    const keyInput = { name: "ci", scopes: ["tokens:read"], lifetime_days: 1 };
    const { data: managementKey } = (
      await owner("POST", "/api/management_key/", { body: keyInput })
    ).body;
    const hook = { name: "ci", kind: "webhook", address: "https://example.org/hook" };
    const { data: destination } = (await owner("POST", "/api/own_destination/", { body: hook }))
      .body;
    const log = await addSettledCall(gateway, mira, gateway.clock.now - 1_000, {});
    await addCallBody(gateway, { id: log, userId: mira.id, tokenId: token.id });
    const { data: logs } = (await owner("GET", "/api/log/self")).body;
    const passkey = {
      uuid: "01999999-9999-7999-8999-000000000001",
      user_id: mira.id,
      user_handle: "handle",
      credential_id: "credential",
      public_key: "",
      counter: 0,
      transports: "",
      backed_up: 0,
      name: "laptop",
      created_at: gateway.clock.now,
    } as const;
    await gateway.db.write(createPasskeyStore(gateway.db).add(passkey));
    const [storedPasskey] = (await owner("GET", "/api/user/passkey")).body.data;
    const root = await gateway.signIn("root");
    const team = (
      await root("POST", "/api/team/", { body: { name: "theirs", owner_id: token.user_id } })
    ).body.data;
    const limit = { name: "b", window: "day", amount: 5, on_reached: "ask" };
    const { data: budget } = (
      await root("POST", "/api/budget/", {
        body: { ...limit, subject: "user", subject_id: token.user_id },
      })
    ).body;
    const { data: asked } = (
      await owner("POST", `/api/budget/${budget.id}/request`, { body: { amount: 5 } })
    ).body;
    const run = "r".repeat(22);
    const sums = {
      ...{ calls: 1, failures: 0, retries: 0, quota: 5, prompt_tokens: 1, cached_prompt_tokens: 0 },
      ...{ cache_write_tokens: 0, completion_tokens: 1, waiting_ms: 1, elapsed_ms: 2 },
    };
    const [first_call_at, last_call_at] = [gateway.clock.now - 1_000, gateway.clock.now];
    const seen = {
      run,
      user_id: mira.id,
      token_id: token.id,
      team_id: 0,
      agent: "",
      first_call_at,
      last_call_at,
      stopped_at: null,
    };
    await gateway.db.write([
      { query: gateway.db.sql.insertInto("runs").values({ ...seen, ...sums }) },
    ]);
    const { data: sessions } = (await owner("GET", "/api/user/sessions")).body;
    const one = (id: string): OwnedResource => ({ id, uuid: id });
    things = {
      token: { mine: token, missing: { id: 999_999, uuid: missingUuid } },
      team: { mine: team, missing: { id: 999_999, uuid: missingUuid } },
      budget: { mine: budget, missing: { id: 999_999, uuid: missingUuid } },
      budgetRequest: {
        mine: { id: asked.id, uuid: missingUuid },
        missing: { id: 999_999, uuid: missingUuid },
      },
      managementKey: { mine: managementKey, missing: { id: 999_999, uuid: missingUuid } },
      passkey: { mine: storedPasskey, missing: { id: 999_999, uuid: missingUuid } },
      destination: { mine: destination, missing: { id: 999_999, uuid: missingUuid } },
      session: { mine: one(sessions[0].id), missing: one("0".repeat(32)) },
      log: { mine: { id: log, uuid: logs[0].uuid }, missing: { id: 999_999, uuid: missingUuid } },
      run: { mine: one(run), missing: one("m".repeat(22)) },
      trace: { mine: one(logs[0].trace_id), missing: one("ffff") },
    };
  });
  afterAll(() => gateway.close());

  test("everything that can be named is looked at here", () => {
    expect(forUsers.map(({ name }) => name).sort()).toEqual(Object.keys(owned).sort());
  });

  test.each(forUsers)(
    "$name answers as if it did not exist",
    { tags: ["F-26", "F-27"] },
    async ({ name, endpoint }) => {
      const { mine, missing } = things[owned[name] ?? "token"];
      for (const form of ["id", "uuid"] as const) {
        const answerFor = async (thing: OwnedResource) => {
          const limit = { amount: 1, window: "day", overlap_seconds: 0 };
          const destination = { disabled: true, verification_code: "123456" };
          const inTeam = {
            user_id: 1,
            role: "viewer",
            source: "own",
            token_id: 1,
            cap_id: 1,
            budget_id: 1,
          };
          const body = {
            ...inTeam,
            [form]: thing[form],
            status: 2,
            name: "taken over",
            ...limit,
            ...destination,
          };
          const { status, body: reply } = await ask(
            stranger ?? gateway.visitor,
            endpoint,
            thing[form],
            body,
          );
          return { status, ...reply };
        };
        const refused = await answerFor(mine);
        expect(refused, form).toMatchObject({ success: false });
        expect(refused, form).toEqual(await answerFor(missing));
      }
    },
  );

  const forOperators = catalogue.filter(
    ({ endpoint: { access, path } }) =>
      (access === "admin" || access === "root") &&
      /^\/api\/(?:budget|budget_template|alert|destination|delivery)\/:id/.test(path),
  );
  test("budgets, alerts and destinations of operators are refused to users alike, whether they exist or not", async () => {
    const root = await gateway.signIn("root");
    const terms = { window: "day", amount: 5, hard: true };
    const made = [
      await root("POST", "/api/budget/", { body: { ...terms, name: "b", subject: "site" } }),
      await root("POST", "/api/budget_template/", {
        body: { ...terms, name: "t", subject: "user" },
      }),
    ];
    for (const { body } of made) expect(body).toMatchObject({ success: true });
    // "Mail to root" is the first destination.
    expect(forOperators.length).toBeGreaterThan(6);
    for (const { endpoint } of forOperators) {
      const answerTo = async (id: number) => {
        const { status, body } = await ask(stranger ?? gateway.visitor, endpoint, id, {
          hours: 1,
          disabled: true,
        });
        return { status, ...body };
      };
      const refused = await answerTo(1);
      expect(refused, endpoint.path).toMatchObject({
        success: false,
        code: expect.not.stringContaining("not_found"),
      });
      expect(refused, endpoint.path).toEqual(await answerTo(999_999));
    }
  });

  test("and all of it is still there, unchanged, for its owner", async () => {
    const tokens = await owner?.("GET", "/api/token/");
    expect(tokens?.body.data).toMatchObject([{ name: "ci", status: 1 }]);
    const keys = await owner?.("GET", "/api/management_key/");
    expect(keys?.body.data).toMatchObject([{ name: "ci", disabled: false }]);
    const passkeys = await owner?.("GET", "/api/user/passkey");
    expect(passkeys?.body.data).toMatchObject([{ credential_name: "laptop" }]);
    const destinations = await owner?.("GET", "/api/own_destination/");
    expect(destinations?.body.data).toMatchObject([
      { name: "ci", disabled: false, verified: false },
    ]);
    expect((await owner?.("GET", "/api/user/sessions"))?.body.data).toHaveLength(1);
    expect((await owner?.("GET", `/api/trace/log/${things.log.mine.id}`))?.status).toBe(200);
    const body = await owner?.("GET", `/api/trace/log/${things.log.mine.id}/body`);
    expect(body?.body.data).toMatchObject({ request: { text: "{}" } });
  });

  test("nothing went wrong inside", () => expect(gateway.problems).toEqual([]));
});
