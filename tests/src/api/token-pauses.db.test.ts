// Tokens that are paused: who may, what is shown, and that nothing but an express word resumes one.
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

describeVariants(testDatabases)("paused tokens on $name", (database) => {
  let gateway: ManagementGateway;
  let ada: TestApiClient;
  let mira: TestApiClient;
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    await gateway.addUser("ada", { role: 10 });
    await gateway.addUser("mira");
    [ada, mira] = [await gateway.signIn("ada"), await gateway.signIn("mira")];
  });
  afterAll(() => gateway.close());

  const create = async (input: object = {}) =>
    (await mira("POST", "/api/token/", { body: { name: "ci", unlimited_quota: true, ...input } }))
      .body.data;
  const setStatus = (uuid: string, status: number, more: object = {}, client = mira) =>
    client("PUT", "/api/token/?status_only=1", { body: { uuid, status, ...more } });
  const shown = async (uuid: string) => (await mira("GET", `/api/token/${uuid}`)).body.data;

  test("the owner pauses one with a reason and resumes it", async () => {
    const { uuid, paused } = await create();
    expect(paused).toBeNull();
    const { data } = (await setStatus(uuid, 5, { pause_reason: "leaves at night" })).body;
    const at = gateway.clock.now;
    expect(data).toMatchObject({
      status: 5,
      paused: { by: "owner", name: "mira", reason: "leaves at night", at },
    });
    expect((await setStatus(uuid, 1)).body.data).toMatchObject({ status: 1, paused: null });
  });

  test("the first pause stays, and no edit of a form that was read before ends it", async () => {
    const { uuid } = await create({ remain_quota: 5, unlimited_quota: false });
    await setStatus(uuid, 5, { pause_reason: "first" });
    await setStatus(uuid, 5, { pause_reason: "second" });
    for (const edit of [
      { name: "other" },
      { status: 3, expired_time: -1 },
      { status: 4, remain_quota: 9 },
      { status: 5 },
    ])
      await mira("PUT", "/api/token/", { body: { uuid, ...edit } });
    expect(await shown(uuid)).toMatchObject({
      name: "other",
      status: 5,
      paused: { reason: "first" },
    });
    expect((await setStatus(uuid, 2)).body.data).toMatchObject({ status: 2, paused: null });
  });

  test("one that is disabled is not paused, for resuming it would enable it", async () => {
    const { uuid } = await create();
    await setStatus(uuid, 2);
    expect((await setStatus(uuid, 5)).body).toMatchObject({
      success: false,
      code: "token_disabled",
    });
    const reply = await ada("POST", "/api/token/all/pause", { body: { uuid } });
    expect(reply.body).toMatchObject({ success: false, code: "token_disabled" });
    expect(await shown(uuid)).toMatchObject({ status: 2, paused: null });
  });

  test("a management key pauses by its own name, and no status but 1, 2 and 5 can be asked for", async () => {
    const { uuid } = await create();
    const input = { name: "watchdog", scopes: ["tokens:write"], lifetime_days: 1 };
    const { key } = (await mira("POST", "/api/management_key/", { body: input })).body.data;
    const { data } = (
      await gateway.visitor("PUT", "/api/token/?status_only=1", {
        body: { uuid, status: 5 },
        headers: { authorization: `Bearer ${key}` },
      })
    ).body;
    expect(data).toMatchObject({
      status: 5,
      paused: { by: "management_key", name: "watchdog", reason: "" },
    });
    for (const status of [0, 3, 4, 6])
      expect([status, (await setStatus(uuid, status)).status]).toEqual([status, 400]);
    expect((await setStatus(uuid, 5, { pause_reason: "x".repeat(201) })).status).toBe(400);
  });

  test("an administrator pauses and resumes one; the owner is told of the pause, and not by whom", async () => {
    const { uuid } = await create({ name: "loop" });
    const pause = (body: object, client = ada) =>
      client("POST", "/api/token/all/pause", { body: { uuid, ...body } });
    expect((await pause({}, mira)).status).toBe(403);
    const reply = await pause({ pause_reason: "loops" });
    expect(reply.body.data).toMatchObject({
      status: 5,
      paused: { by: "administrator", name: "ada", reason: "loops" },
    });
    expect(await shown(uuid)).toMatchObject({
      paused: { by: "administrator", name: "", reason: "loops" },
    });
    expect((await mira("GET", "/api/token/notices")).body.data).toMatchObject([
      { name: "loop", action: "paused" },
    ]);
    expect((await pause({ pause_reason: "again" })).body.data).toMatchObject({
      paused: { reason: "loops" },
    });
    expect((await pause({ paused: false })).body.data).toMatchObject({ status: 1, paused: null });
    expect((await mira("GET", "/api/token/notices")).body.data).toHaveLength(1);
    const entries = gateway.db.sql
      .selectFrom("audit_entries")
      .select(["action", "target"])
      .where("target", "=", uuid);
    expect((await gateway.db.read(entries.orderBy("id"))).map(({ action }) => action)).toEqual([
      "token.pause",
      "token.resume",
    ]);
  });

  test("many are paused in one act, which skips those that are disabled or paused", async () => {
    const [running, disabled, paused] = [await create(), await create(), await create()];
    await setStatus(disabled.uuid, 2);
    await setStatus(paused.uuid, 5, { pause_reason: "before" });
    const ids = [running.uuid, disabled.uuid, paused.uuid];
    const bulk = (more: object) =>
      mira("POST", "/api/token/bulk", { body: { ids, verb: "pause", ...more } });
    const preview = (await bulk({ preview: true })).body.data;
    expect((await shown(running.uuid)).status).toBe(1);
    const { rows } = (await bulk({ pause_reason: "holidays" })).body.data;
    expect(rows).toEqual(preview.rows);
    expect(rows.map(({ skipped }: { skipped: { code: string } | null }) => skipped?.code)).toEqual([
      undefined,
      "token_disabled",
      "bulk_unchanged",
    ]);
    expect(await shown(running.uuid)).toMatchObject({
      status: 5,
      paused: { by: "owner", reason: "holidays" },
    });
    expect((await shown(paused.uuid)).paused.reason).toBe("before");
  });

  test("one that a program names by its external_id is paused and resumed by the same call", async () => {
    const put = (body: object) =>
      mira("PUT", "/api/token/by-external/deploy", { body: { name: "deploy", ...body } });
    expect((await put({ status: 5, pause_reason: "set-up" })).body.data).toMatchObject({
      status: 5,
      paused: { reason: "set-up" },
    });
    expect((await put({})).body.data).toMatchObject({ status: 5 });
    expect((await put({ status: 1, unlimited_quota: true })).body.data).toMatchObject({
      status: 1,
      paused: null,
    });
  });
});
