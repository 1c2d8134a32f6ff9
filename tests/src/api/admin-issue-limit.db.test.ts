// What an administrator issues on one UTC day is bounded; what exceeds the limit waits for root.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

const dayMs = 86_400_000;
const limit = 1_000;
const waits = { success: false, code: "quota_waits_for_root" };

describeVariants(testDatabases)("the limit of an administrator on $name", (database) => {
  let gateway: ManagementGateway;
  let root: TestApiClient;
  let admin: TestApiClient;
  let other: TestApiClient;
  let ann: { id: number; uuid: string };
  /** Sign-ins last shorter than the days that the tests skip. */
  const signIn = async (): Promise<void> => {
    root = await gateway.signIn("root");
    admin = await gateway.signIn("seller");
    other = await gateway.signIn("second");
  };
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    await gateway.addUser("seller", { role: 10 });
    await gateway.addUser("second", { role: 10 });
    ann = await gateway.addUser("ann");
    await signIn();
    await root("PUT", "/api/option/", { body: { key: "AdminIssueLimit", value: String(limit) } });
  });
  afterAll(() => gateway.close());
  beforeEach(async () => {
    // A day without issues.
    gateway.clock.now += dayMs;
    await signIn();
    for (const { id } of await waiting()) await root("DELETE", `/api/quota_request/${id}`);
  });

  const topUp = (client: TestApiClient, quota: number, headers: Record<string, string> = {}) =>
    client("POST", "/api/topup", { body: { user_id: ann.id, quota }, headers });
  const makeCodes = (client: TestApiClient, quota: number, count = 1) =>
    client("POST", "/api/redemption/", { body: { name: "batch", quota, count } });
  const waiting = async (client = root) => (await client("GET", "/api/quota_request/")).body.data;
  const balance = async (): Promise<number> =>
    (await root("GET", `/api/user/${ann.id}`)).body.data.quota;
  const codes = async (): Promise<{ id: number; quota: number }[]> =>
    (await root("GET", "/api/redemption/")).body.data;

  test("counts codes, top-ups, edits and first quotas together, each UTC day anew", {
    tags: ["S2-23"],
  }, async () => {
    const before = await balance();
    expect((await makeCodes(admin, 100, 3)).body.success).toBe(true);
    expect((await topUp(admin, 200)).body.success).toBe(true);
    const edit = { id: ann.id, quota: before + 400, quota_read: before + 200 };
    expect((await admin("PUT", "/api/user/", { body: edit })).body.success).toBe(true);
    const person = {
      username: `new${gateway.clock.now % 1e9}`,
      password: "correct horse",
      quota: 200,
    };
    expect((await admin("POST", "/api/user/", { body: person })).body.data.quota).toBe(200);
    const [code] = await codes();
    expect(
      (
        await admin("PUT", "/api/redemption/", {
          body: { id: code?.id, quota: (code?.quota ?? 0) + 100 },
        })
      ).body.success,
    ).toBe(true);
    expect((await topUp(admin, 1)).body).toMatchObject(waits);
    // Neither what is taken back nor root's own acts count.
    expect(
      (await admin("PUT", "/api/user/", { body: { id: ann.id, quota: 0 } })).body.success,
    ).toBe(true);
    expect((await topUp(admin, 1)).body).toMatchObject(waits);
    expect((await topUp(root, 10 * limit)).body.success).toBe(true);
    expect((await topUp(other, limit)).body.success).toBe(true);
    gateway.clock.now += dayMs;
    admin = await gateway.signIn("seller");
    expect((await topUp(admin, limit)).body.success).toBe(true);
  });

  test("a top-up of many accounts above the limit is refused whole, and nothing waits", {
    tags: ["S2-23"],
  }, async () => {
    const before = await balance();
    const bob = await gateway.addUser(`bob${gateway.clock.now % 1e9}`);
    const many = (quota: number) =>
      admin("POST", "/api/user/bulk", { body: { ids: [ann.id, bob.id], verb: "top_up", quota } });
    expect((await many(limit / 2 + 1)).body.code).toBe("issue_limit_reached");
    expect([await balance(), await waiting()]).toEqual([before, []]);
    expect((await many(limit / 2)).body.data.changed).toBe(2);
    expect(await balance()).toBe(before + limit / 2);
    expect((await topUp(admin, 1)).body).toMatchObject(waits);
  });

  test("a day begins and ends at midnight UTC", { tags: ["S2-23"] }, async () => {
    const midnight = Math.ceil(gateway.clock.now / dayMs) * dayMs;
    gateway.clock.now = midnight - 1;
    expect((await topUp(admin, limit)).body.success).toBe(true);
    gateway.clock.now = midnight;
    expect((await topUp(admin, limit)).body.success).toBe(true);
    gateway.clock.now = midnight + dayMs - 1;
    await signIn();
    expect((await topUp(admin, 1)).body).toMatchObject(waits);
  });

  test("more than a balance can hold is refused and does not wait", async () => {
    expect((await makeCodes(admin, 9_000_000_000_000_000, 2)).body.code).toBe("quota_too_high");
    expect(await waiting()).toEqual([]);
  });

  test("an act that is rejected for another reason neither counts nor waits", {
    tags: ["S2-23"],
  }, async () => {
    const person = { username: "ann", password: "correct horse", quota: limit };
    expect((await admin("POST", "/api/user/", { body: person })).body.code).toBe("username_taken");
    expect(await waiting()).toEqual([]);
    expect((await topUp(admin, limit)).body.success).toBe(true);
  });

  test("nothing of an act above the limit is done before root approves it", {
    tags: ["S2-23"],
  }, async () => {
    const before = await balance();
    const stored = (await codes()).length;
    const [code] = await codes();
    expect((await topUp(admin, limit + 1)).body).toMatchObject(waits);
    expect((await makeCodes(admin, 600, 2)).body).toMatchObject(waits);
    const edit = { id: ann.id, quota: before + 5_000, quota_read: before, display_name: "Ann" };
    expect((await admin("PUT", "/api/user/", { body: edit })).body).toMatchObject(waits);
    expect(
      (await admin("PUT", "/api/redemption/", { body: { id: code?.id, quota: 7_000 } })).body,
    ).toMatchObject(waits);
    expect([await balance(), (await codes()).length]).toEqual([before, stored]);
    expect((await root("GET", `/api/user/${ann.id}`)).body.data.display_name).toBe("ann");

    const requests = await waiting();
    expect(requests).toMatchObject([
      { kind: "user", amount: limit + 1, target_name: "ann", requested_by_name: "seller" },
      { kind: "codes", amount: 1_200, quota: 600, count: 2, name: "batch" },
      { kind: "user", amount: 5_000, target_name: "ann" },
      { kind: "code", amount: 7_000 - (code?.quota ?? 0), quota: 7_000 },
    ]);
    await gateway.alerts.fold();
    expect((await root("GET", "/api/alert/?state=firing")).body.data).toMatchObject([
      { rule: "quota.waiting", subject_name: "seller" },
    ]);
    for (const { id } of requests)
      expect((await root("POST", `/api/quota_request/${id}/approve`)).body).toMatchObject({
        success: true,
      });
    expect(await balance()).toBe(before + limit + 1 + 5_000);
    expect((await codes()).length).toBe(stored + 2);
    expect((await root("GET", `/api/redemption/${code?.id}`)).body.data.quota).toBe(7_000);
    expect(await waiting()).toEqual([]);
    const { data: changes } = (await root("GET", "/api/audit/?size=1")).body;
    expect(changes[0]).toMatchObject({ action: "quota_request.approve", actor: "root" });
  });

  test("an account is created without the first quota that exceeds the limit", {
    tags: ["S2-23"],
  }, async () => {
    const person = { username: "wealthy", password: "correct horse", quota: 2 * limit };
    const { data } = (await admin("POST", "/api/user/", { body: person })).body;
    expect(data).toMatchObject({ username: "wealthy", quota: 0 });
    const [request] = await waiting();
    expect(request).toMatchObject({ kind: "user", amount: 2 * limit, target_name: "wealthy" });
    await root("POST", `/api/quota_request/${request.id}/approve`);
    expect((await root("GET", `/api/user/${data.id}`)).body.data.quota).toBe(2 * limit);
  });

  test("is kept by acts that arrive at once, and each request is decided once", {
    tags: ["S2-23"],
  }, async () => {
    const before = await balance();
    const replies = await Promise.all(Array.from({ length: 24 }, () => topUp(admin, 100)));
    expect(replies.filter(({ body }) => body.success)).toHaveLength(10);
    expect(await balance()).toBe(before + limit);
    const requests = await waiting();
    expect(requests).toHaveLength(14);
    const [{ id }] = requests;
    const decisions = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        n % 2 === 0
          ? root("POST", `/api/quota_request/${id}/approve`)
          : root("DELETE", `/api/quota_request/${id}`),
      ),
    );
    const codesOf = decisions.map(({ body }) => (body.success ? "" : body.code)).sort();
    expect(codesOf).toEqual(["", ...Array.from({ length: 5 }, () => "quota_request_not_found")]);
    expect([before + limit, before + limit + 100]).toContain(await balance());
  });

  test("a repeated call with one idempotency key asks once", async () => {
    const headers = { "idempotency-key": `top-up-${gateway.clock.now}` };
    const replies = await Promise.all(
      Array.from({ length: 4 }, () => topUp(admin, 5 * limit, headers)),
    );
    for (const { body } of replies) expect(body).toMatchObject(waits);
    expect((await topUp(admin, 5 * limit, headers)).body).toMatchObject(waits);
    expect(await waiting()).toHaveLength(1);
  });

  test("administrators see and withdraw their own requests, and approve none", {
    tags: ["S2-23"],
  }, async () => {
    await topUp(admin, 2 * limit);
    const [{ id }] = await waiting(admin);
    expect(await waiting(other)).toEqual([]);
    expect((await admin("POST", `/api/quota_request/${id}/approve`)).status).toBe(403);
    expect((await other("DELETE", `/api/quota_request/${id}`)).body.code).toBe(
      "quota_request_not_found",
    );
    expect((await admin("DELETE", `/api/quota_request/${id}`)).body.success).toBe(true);
    expect(await waiting()).toEqual([]);
  });

  test("an administrator has at most fifty requests waiting", async () => {
    const replies = await Promise.all(Array.from({ length: 52 }, () => topUp(admin, 2 * limit)));
    const full = replies.filter(({ body }) => body.code === "quota_requests_full");
    expect([full.length, (await waiting()).length]).toEqual([2, 50]);
  });
});
