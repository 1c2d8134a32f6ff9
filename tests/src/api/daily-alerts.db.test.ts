// Alerts about what changes by the day: models that providers end, and what providers bill, from
// the tables to what is told.
import { computeDay } from "@tollgate/gateway/storage/rollups.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startNoticeReceiver } from "../harness/notice-receiver.ts";
import { describeLarge } from "../support/large-tests.ts";
import { rollupMeasures } from "../support/rollup-measures.ts";
import { testDatabases } from "../support/test-databases.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

const day = 24 * 3_600_000;
/** OpenAI ends it on 2027-01-14. */
const model = "gpt-4.1-2025-04-14";
const start = Date.UTC(2026, 10, 25, 12);

describeLarge(testDatabases)("alerts by the day on $name", (database) => {
  let gateway: ManagementGateway;
  let receiver: Awaited<ReturnType<typeof startNoticeReceiver>>;
  let root: TestApiClient;
  let channel: { id: number; uuid: string };
  beforeAll(async () => {
    [gateway, receiver] = await Promise.all([
      startManagementGateway(database, start),
      startNoticeReceiver(),
    ]);
    gateway.noticeHosts.add(receiver.host);
    root = await gateway.signIn("root");
    const body = { name: "West", type: 1, key: "k", models: model, groups: ["default"] };
    channel = (await root("POST", "/api/channel/", { body })).body.data[0];
  });
  afterAll(async () => {
    await gateway.close();
    await receiver.close();
  });

  /** Figures by the day are read once an hour. */
  const look = async (laterMs: number): Promise<string[]> => {
    gateway.clock.now += laterMs;
    root = await gateway.signIn("root");
    await gateway.alerts.fold();
    await gateway.alerts.deliver();
    await gateway.alerts.settled();
    const found: { rule: string; subject_id: string }[] = (
      await root("GET", "/api/alert/?state=firing")
    ).body.data;
    return found.map(({ rule, subject_id }) => `${rule} ${subject_id}`).sort();
  };
  const called = (user_id: number, requests: number) =>
    gateway.db.write([
      {
        query: gateway.db.sql.insertInto("rollup_day_user_model").values({
          ...rollupMeasures({ requests }),
          day: computeDay(gateway.clock.now),
          user_id,
          model_name: model,
        }),
      },
    ]);

  test("operators and the user whose keys call a model that ends hear of it, at each of its days once", async () => {
    const { id: userId } = await gateway.addUser("mira");
    const { id: otherId } = await gateway.addUser("noor");
    const mira = await gateway.signIn("mira");
    const address = `${receiver.url}/mine`;
    const rules = ["own_model.retiring"];
    const { body } = await mira("POST", "/api/own_destination/", {
      body: { name: "mine", kind: "webhook", rules, address },
    });
    await mira("POST", `/api/own_destination/${body.data.id}/code`);
    const { code: verification_code } = JSON.parse(receiver.received.pop()?.body ?? "{}").data;
    await mira("POST", `/api/own_destination/${body.data.id}/verify`, {
      body: { verification_code },
    });
    expect(await look(2 * 3_600_000)).toEqual([]);

    await called(userId, 12);
    await called(otherId, 30);
    expect(await look(2 * 3_600_000)).toEqual([`model.retiring ${model}/60`]);
    const [alert] = (await root("GET", "/api/alert/?state=firing")).body.data;
    expect(alert.text).toContain("2027-01-14");
    expect(alert.text).toContain("42 calls");
    await look(20_000);
    await look(20_000);
    const told = () => receiver.received.map(({ body: text }) => JSON.parse(text).data);
    expect(told()).toMatchObject([
      { rule: "own_model.retiring", reason: expect.stringContaining("12 times") },
    ]);

    // For two weeks it was not called.
    expect(await look(25 * day)).toEqual([]);
    await called(userId, 5);
    expect(await look(2 * 3_600_000)).toEqual([`model.retiring ${model}/30`]);
    await root("PUT", "/api/channel/", { body: { id: channel.id, models: "another" } });
    expect(await look(2 * 3_600_000)).toEqual([]);
  });

  test("a provider whose bill is not what our prices make of the calls, until the prices are right", async () => {
    const { sql } = gateway.db;
    const billed = computeDay(gateway.clock.now) - 4;
    const line = { channel_uuid: channel.uuid, day: billed, model_name: model, requests: 150 };
    const tokens = { prompt_tokens: null, completion_tokens: null };
    await gateway.db.write([
      {
        query: sql.insertInto("cost_reports").values({
          channel_uuid: channel.uuid,
          ...{ key_sealed: "", key_hint: "", destination: "", scope: "", channel_ids: "[]" },
          ...{ due_at: gateway.clock.now + 1_000 * day, attempted_at: 0, read_at: null },
          ...{ failure: "", failure_status: 0, updated_at: 0 },
        }),
      },
      {
        query: sql.insertInto("cost_report_days").values({
          channel_uuid: channel.uuid,
          day: billed,
          read_at: gateway.clock.now,
          is_incomplete: 0,
        }),
      },
      ...[
        { side: "charged", cost_micros: 4_000_000 } as const,
        { side: "reported", cost_micros: 5_000_000 } as const,
      ].map((figures) => ({
        query: sql.insertInto("cost_report_lines").values({ ...line, ...tokens, ...figures }),
      })),
    ]);
    expect(await look(2 * 3_600_000)).toEqual([`price.mismatch ${channel.id}`]);
    const [alert] = (await root("GET", "/api/alert/?state=firing")).body.data;
    expect(alert.text).toContain("$4.00");
    expect(alert.text).toContain("$5.00");
    await gateway.db.write([
      {
        query: sql
          .updateTable("cost_report_lines")
          .set({ cost_micros: 4_950_000 })
          .where("side", "=", "charged"),
      },
    ]);
    expect(await look(2 * 3_600_000)).toEqual([]);
    await gateway.db.write([
      {
        query: sql
          .updateTable("cost_report_lines")
          .set({ cost_micros: 4_800_000 })
          .where("side", "=", "charged"),
      },
    ]);
    await look(20_000);
    expect(await look(2 * 3_600_000)).toEqual([]);
  });
});
