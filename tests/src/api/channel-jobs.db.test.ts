import { openChannelKey } from "@tollgate/gateway/catalogue/channels/channel-key.ts";
import type { ChannelRow } from "@tollgate/gateway/catalogue/channels/channel-store.ts";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

describeVariants(testDatabases)("work on many channels on $name", (database) => {
  let gateway: ManagementGateway;
  let admin: TestApiClient;
  let other: TestApiClient;
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    await gateway.addUser("ada", { role: 10 });
    admin = await gateway.signIn("ada");
    other = await gateway.signIn("root");
  });
  afterAll(() => gateway.close());
  beforeEach(() => option("AutomaticDisableChannelEnabled", "false"));
  afterEach(async () => {
    delete gateway.tests.answerOf;
    gateway.tests.balance = { micros: 12_500_000 };
    gateway.notices.length = 0;
    await gateway.db.write([{ query: gateway.db.sql.deleteFrom("channels") }], {
      changes: ["channels"],
    });
  });

  const option = async (key: string, value: string) => {
    const reply = await other("PUT", "/api/option/", { body: { key, value } });
    expect(reply.body.message).toBe("");
  };
  const add = async (name: string, more: object = {}) => {
    const body = { name, type: 1, key: `sk-${name}-canary`, models: "m1", ...more };
    return (await admin("POST", "/api/channel/", { body })).body.data[0];
  };
  const row = async (id: number) => {
    const [found] = await gateway.db.read(
      gateway.db.sql.selectFrom("channels").selectAll().where("id", "=", id),
    );
    return found;
  };
  const jobs = async (by: TestApiClient = admin) =>
    (await by("GET", "/api/channel/jobs")).body.data;
  const ended = (kind: string) =>
    eventually(async () => {
      const job = (await jobs()).find((one: { kind: string }) => one.kind === kind);
      if (job.state === "running") throw new Error("it still runs");
      return job;
    });
  const fails = (message: string) => ({ ok: false, message, elapsedMs: 5, modelName: "m1" });
  const answers = (byName: Record<string, ReturnType<typeof fails>>) => (channel: ChannelRow) =>
    byName[channel.name];

  test("every channel is tested, and how each went can be read", async () => {
    const [good, bad, odd] = [await add("good"), await add("bad", { status: 2 }), await add("odd")];
    gateway.tests.answerOf = answers({
      bad: fails("status 500: no"),
      odd: { ...fails("cannot be tested"), ...{ isUntestable: true } },
    });
    const started = await admin("GET", "/api/channel/test?scope=all");
    expect(started.body.data).toMatchObject({
      kind: "test",
      state: "running",
      total: 3,
      started_by: "ada",
    });
    const job = await ended("test");
    expect(job).toMatchObject({
      id: started.body.data.id,
      state: "done",
      total: 3,
      done: 3,
      failed: 1,
    });
    expect(job.results).toEqual([
      {
        channel_id: bad.id,
        channel_uuid: bad.uuid,
        channel_name: "bad",
        outcome: "failed",
        message: "status 500: no",
      },
      {
        channel_id: good.id,
        channel_uuid: good.uuid,
        channel_name: "good",
        outcome: "passed",
        message: "1234 ms",
      },
      {
        channel_id: odd.id,
        channel_uuid: odd.uuid,
        channel_name: "odd",
        outcome: "skipped",
        message: "cannot be tested",
      },
    ]);
    expect([(await row(good.id))?.response_time, (await row(bad.id))?.tested_at]).toEqual([
      1234,
      gateway.clock.now,
    ]);
    expect((await row(odd.id))?.tested_at).toBe(0);
    const logs = await admin("GET", "/api/log/?type=5");
    expect(logs.body.data.map((log: { username: string }) => log.username)).toEqual(["ada", "ada"]);
  });

  test("only the disabled channels, when the request says so", async () => {
    await add("on");
    const off = await add("off", { status: 2 });
    await admin("POST", "/api/channel/test?scope=disabled");
    expect(
      (await ended("test")).results.map((one: { channel_id: number }) => one.channel_id),
    ).toEqual([off.id]);
  });

  test("one runs at a time, whichever administrator asks; cancelled, it stops and draws no more conclusions", async () => {
    for (const name of ["a", "b", "c", "d", "e", "f"]) await add(name);
    await option("AutomaticDisableChannelEnabled", "true");
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    gateway.tests.answerOf = async ({ name }) => {
      if (name === "a") return undefined;
      await gate;
      return fails("cut");
    };
    const { body } = await admin("POST", "/api/channel/test");
    await eventually(async () => expect((await jobs(other))[0].done).toBe(1));
    const second = await other("POST", "/api/channel/test?scope=disabled");
    expect([second.status, second.body.code]).toEqual([200, "channel_job_running"]);
    // The other kind is free.
    expect((await other("POST", "/api/channel/update_balance")).body.success).toBe(true);
    const cancelled = await other("POST", `/api/channel/jobs/${body.data.id}/cancel`);
    expect(cancelled.body.data).toMatchObject({ state: "cancelled", done: 1, total: 6 });
    open();
    await gateway.channelJobs.close();
    const all = (await admin("GET", "/api/channel/")).body.data;
    expect(all.map((channel: { status: number }) => channel.status)).toEqual([1, 1, 1, 1, 1, 1]);
    const [job] = await jobs();
    expect(job).toMatchObject({ state: "cancelled", done: 1, ended_at: gateway.clock.now });
    const unknown = await admin("POST", "/api/channel/jobs/7/cancel");
    expect(unknown.body.code).toBe("channel_job_not_found");
  });

  test("a job whose process is gone is interrupted, and the next may start", async () => {
    await add("slow");
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    gateway.tests.answerOf = async () => {
      await gate;
      return undefined;
    };
    await admin("POST", "/api/channel/test");
    gateway.clock.now += 6 * 60_000;
    expect((await jobs()).find((job: { kind: string }) => job.kind === "test")).toMatchObject({
      state: "interrupted",
    });
    const { body } = await admin("POST", "/api/channel/test");
    expect(body.data.state).toBe("running");
    open();
    expect(await ended("test")).toMatchObject({ id: body.data.id, done: 1 });
  });

  test("a failing channel goes out of service and comes back when its test passes; others stay", async () => {
    const [bad, byHand] = [await add("bad"), await add("byHand", { status: 2 })];
    await option("AutomaticDisableChannelEnabled", "true");
    await option("AutomaticEnableChannelEnabled", "true");
    gateway.tests.answerOf = answers({ bad: fails("status 401: no") });
    await admin("POST", "/api/channel/test");
    await ended("test");
    expect(await row(bad.id)).toMatchObject({
      status: 3,
      disabled_reason: "Channel test failed: status 401: no",
    });
    expect((await row(byHand.id))?.status).toBe(2);
    expect(gateway.notices).toEqual([
      "Channel bad was disabled automatically. Channel test failed: status 401: no",
    ]);
    const system = await admin("GET", "/api/log/?type=4");
    expect(system.body.data[0]).toMatchObject({
      channel: bad.id,
      content: gateway.notices[0],
      code: "channel_disabled",
      params: { channel: "bad", reason: "Channel test failed: status 401: no" },
    });

    delete gateway.tests.answerOf;
    gateway.clock.now += 1_000;
    await admin("POST", "/api/channel/test");
    await ended("test");
    expect(await row(bad.id)).toMatchObject({ status: 1, disabled_reason: "" });
    expect((await row(byHand.id))?.status).toBe(2);
    const audits = await gateway.db.read(
      gateway.db.sql.selectFrom("audit_entries").selectAll().orderBy("id"),
    );
    expect(audits.slice(-1)).toMatchObject([
      { action: "channel.auto_enable", actor_id: 0, target: bad.uuid },
    ]);
  });

  test("a channel whose test takes longer than the threshold goes out of service", async () => {
    const [slow, quick] = [await add("slow"), await add("quick")];
    await option("AutomaticDisableChannelEnabled", "true");
    await option("ChannelDisableThreshold", "2.5");
    const works = (elapsedMs: number) => ({ ...fails("ok"), ok: true, elapsedMs });
    gateway.tests.answerOf = answers({ slow: works(2_600), quick: works(2_500) });
    await admin("POST", "/api/channel/test");
    await ended("test");
    expect(await row(slow.id)).toMatchObject({
      status: 3,
      disabled_reason: expect.stringContaining("the limit is 2.5 s"),
    });
    expect((await row(quick.id))?.status).toBe(1);
    await option("ChannelDisableThreshold", "5");
  });

  test("where no channel can be reached, none is disabled and one row says why; where one can, the others are", async () => {
    const names = ["one", "two", "three", "four", "five", "six"];
    const added = await Promise.all(names.map((name) => add(name)));
    await option("AutomaticDisableChannelEnabled", "true");
    const gone = { ...fails("connect ECONNREFUSED"), isUnreachable: true };
    const untestable = { ...fails("cannot be tested"), isUntestable: true };
    const statuses = async () => Promise.all(added.map(async ({ id }) => (await row(id))?.status));
    const jobLogs = async () => (await admin("GET", "/api/log/?type=4&size=100")).body.data;
    const before = (await jobLogs()).length;
    gateway.tests.answerOf = ({ name }) => (name === "six" ? untestable : gone);
    await admin("POST", "/api/channel/test");
    expect(await ended("test")).toMatchObject({ failed: 5 });
    expect(await statuses()).toEqual([1, 1, 1, 1, 1, 1]);
    expect(gateway.notices).toEqual([]);
    const rows = await jobLogs();
    expect(rows.length - before).toBe(1);
    expect(rows[0].content).toMatch(
      /^No channel could be reached, so none was disabled \(5 would have been\)/,
    );

    // The last one answers, if only with a refusal; the first was changed meanwhile.
    const edited = Promise.withResolvers<void>();
    gateway.tests.answerOf = async ({ name }) => {
      if (name !== "six") return gone;
      await edited.promise;
      return fails("status 500: no");
    };
    gateway.clock.now += 1_000;
    await admin("POST", "/api/channel/test");
    await eventually(async () => {
      const job = (await jobs()).find((one: { kind: string }) => one.kind === "test");
      if (job.done !== 5) throw new Error("it is not there yet");
    });
    const [first] = added;
    await admin("PUT", "/api/channel/", { body: { id: first.id, priority: 7 } });
    edited.resolve();
    await ended("test");
    expect(await statuses()).toEqual([1, 3, 3, 3, 3, 3]);
    expect((await jobLogs()).length - before).toBe(6);
  });

  test("a call that its upstream refuses by status or type takes the channel out, while the switch is on", async () => {
    const channel = await add("refused");
    const refusal = { status: 401, type: "invalid_request_error", code: "x" };
    await gateway.automatic.onRefusal(channel.id, 0, refusal);
    expect((await row(channel.id))?.status).toBe(1);
    await option("AutomaticDisableChannelEnabled", "true");
    await gateway.automatic.onRefusal(channel.id, 0, {
      status: 400,
      type: "invalid_request_error",
      code: "x",
    });
    expect((await row(channel.id))?.status).toBe(1);
    await Promise.all([1, 2, 3].map(() => gateway.automatic.onRefusal(channel.id, 0, refusal)));
    expect(await row(channel.id)).toMatchObject({ status: 3 });
    expect(gateway.notices).toHaveLength(1);
    expect((await admin("GET", `/api/channel/${channel.id}`)).body.data.disabled_reason).toBe(
      "The provider refused the key: status 401",
    );
  });

  test("the clock tests all channels, but not sooner than it should", async () => {
    const channel = await add("swept");
    gateway.clock.now += 3_600_000;
    await gateway.channelJobs.sweepIfDue(60_000);
    expect(await ended("test")).toMatchObject({ started_by: "", done: 1 });
    const at = (await row(channel.id))?.tested_at;
    gateway.clock.now += 59_000;
    await gateway.channelJobs.sweepIfDue(60_000);
    await ended("test");
    expect((await row(channel.id))?.tested_at).toBe(at);
    gateway.clock.now += 1_000;
    await gateway.channelJobs.sweepIfDue(60_000);
    await ended("test");
    expect((await row(channel.id))?.tested_at).toBe(gateway.clock.now);
  });

  test("a balance is fetched, stored and shown; a type without one answers that it has none", async () => {
    const [asked, none] = [await add("asked", { type: 36 }), await add("none", { type: 14 })];
    expect([asked.balance, none.balance]).toEqual([0, 0]);
    expect([asked.balance_supported, none.balance_supported]).toEqual([true, false]);
    const reply = await admin("GET", `/api/channel/update_balance/${asked.uuid}`);
    expect(reply.body).toEqual({ success: true, message: "", data: null, balance: 12.5 });
    const read = (await admin("GET", `/api/channel/${asked.id}`)).body.data;
    expect(read).toMatchObject({
      balance: 12.5,
      balance_currency: "CNY",
      updated_at: asked.updated_at,
    });
    expect(read.balance_updated_time).toBe(Math.floor(gateway.clock.now / 1000));
    const refused = await admin("POST", `/api/channel/update_balance/${none.id}`);
    expect([refused.status, refused.body.code]).toEqual([200, "channel_balance_unsupported"]);

    gateway.tests.balance = { error: "the provider answered with status 403" };
    const failed = await admin("POST", `/api/channel/update_balance/${asked.id}`);
    expect(failed.body.message).toBe(
      "The balance could not be read: the provider answered with status 403",
    );
    expect((await row(asked.id))?.balance_micros).toBe(12_500_000);

    await admin("POST", "/api/channel/update_balance");
    const job = await ended("balance");
    expect(job).toMatchObject({
      total: 1,
      failed: 1,
      results: [{ channel_id: asked.id, outcome: "failed" }],
    });
  });

  test("a link elsewhere starts nothing", async () => {
    for (const path of ["test", "update_balance", "update_balance/1"]) {
      const reply = await admin("GET", `/api/channel/${path}`, {
        headers: { "X-Tollgate-Console": "" },
      });
      expect([reply.status, reply.body.code], path).toEqual([400, "same_origin_required"]);
    }
  });

  test("what was disabled by hand is deleted, and nothing else", async () => {
    const kept = [await add("on"), await add("failed")];
    await gateway.db.write([
      {
        query: gateway.db.sql
          .updateTable("channels")
          .set({ status: 3 })
          .where("id", "=", kept[1].id),
      },
    ]);
    for (const name of ["x", "y"]) await add(name, { status: 2 });
    expect((await admin("GET", "/api/channel/?status=2")).body.total).toBe(2);
    expect((await admin("DELETE", "/api/channel/disabled")).body.data).toBe(2);
    expect((await admin("DELETE", "/api/channel/disabled")).body.data).toBe(0);
    const left = (await admin("GET", "/api/channel/?sort=id&order=asc")).body.data;
    expect(left.map(({ id }: { id: number }) => id)).toEqual(kept.map(({ id }) => id));
  });

  test("a copy has everything but the name, the status and the counters, and a key of its own", async () => {
    const channel = await add("first", {
      config: '{"custom_headers":{"x":"y"},"new":1}',
      priority: 4,
      weight: 2,
    });
    const ask = { headers: { "idempotency-key": "copy-1" } };
    const made = (await admin("POST", `/api/channel/${channel.uuid}/duplicate`, ask)).body.data;
    expect(made.name).toBe("first (copy)");
    expect((await admin("POST", `/api/channel/${channel.uuid}/duplicate`, ask)).body.data).toEqual(
      made,
    );
    const copy = (await admin("GET", `/api/channel/${made.uuid}`)).body.data;
    const { id, uuid, name, status, ...rest } = channel;
    expect(copy).toMatchObject({
      ...rest,
      status: 2,
      created_at: gateway.clock.now,
      updated_at: gateway.clock.now,
    });
    expect([copy.id, copy.uuid]).not.toEqual([id, uuid]);
    const stored = await row(made.id);
    expect(stored?.key_sealed).not.toBe((await row(id))?.key_sealed);
    expect(stored && openChannelKey(gateway.seal, stored)).toBe("sk-first-canary");
  });

  test("nothing went wrong inside", () => expect(gateway.problems).toEqual([]));
});
