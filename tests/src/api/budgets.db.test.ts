import type { Budget } from "@tollgate/contract/accounts/budgets.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

const path = "/api/budget/";

describeVariants(testDatabases)("budgets on $name", (database) => {
  let gateway: ManagementGateway;
  let admin: TestApiClient;
  let ada: { id: number };
  let ben: TestApiClient;
  let benId: number;
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    ada = await gateway.addUser("ada", { role: 10 });
    benId = (await gateway.addUser("ben")).id;
    [admin, ben] = [await gateway.signIn("ada"), await gateway.signIn("ben")];
  });
  afterAll(() => gateway.close());

  const create = async (body: object, as = admin) => (await as("POST", path, { body })).body;
  const made = async (body: object): Promise<Budget> => {
    const reply = await create({ name: "b", window: "day", amount: 500, ...body });
    expect(reply).toMatchObject({ success: true });
    return reply.data;
  };
  const change = async (body: object) => (await admin("PUT", path, { body })).body;

  test("are created with usual values, shown with their window, changed in part and deleted", async () => {
    const one = await made({ subject: "user", subject_id: benId, zone: "Europe/Berlin" });
    const day = 86_400_000;
    expect(one).toMatchObject({
      ...{
        subject_name: "ben",
        hard: true,
        enabled: true,
        by_owner: false,
        thresholds: [80, 100],
        first_day: 1,
      },
      ...{ spent: 0, held: 0, exceeded: 0, reached: 0, window_start: one.created_at },
    });
    expect((one.resets_at ?? 0) - one.created_at).toBeLessThanOrEqual(day + 3_600_000);
    const smaller = (
      await change({ uuid: one.uuid, amount: 7, thresholds: [100, 50, 50], hard: false })
    ).data;
    expect(smaller).toMatchObject({
      amount: 7,
      thresholds: [50, 100],
      hard: false,
      window_start: one.window_start,
    });
    expect(await change({ id: one.id, amount: 8, updated_at: one.updated_at })).toMatchObject({
      code: "changed_meanwhile",
    });
    expect((await admin("GET", `${path}${one.uuid}`)).body.data).toEqual(smaller);
    expect((await admin("DELETE", `${path}${one.id}`)).body).toMatchObject({ success: true });
    expect((await admin("GET", `${path}${one.id}`)).body).toMatchObject({
      code: "budget_not_found",
    });
  });

  test("pause the keys of a user or token alone, and may pause again in the same window once they are changed", async () => {
    const site = await create({
      name: "b",
      window: "day",
      amount: 5,
      subject: "site",
      on_reached: "pause",
    });
    expect(site.fields).toHaveProperty("on_reached");
    const counting = await made({ subject: "model", model: "m" });
    expect((await change({ id: counting.id, on_reached: "pause" })).fields).toHaveProperty(
      "on_reached",
    );

    const { id, on_reached } = await made({
      subject: "user",
      subject_id: benId,
      on_reached: "pause",
    });
    expect(on_reached).toBe("pause");
    const { sql } = gateway.db;
    const pausesAfter = async () =>
      (
        await gateway.db.read(sql.selectFrom("budgets").select("pauses_after").where("id", "=", id))
      )[0]?.pauses_after;
    for (const [edit, expected] of [
      [{ name: "other", thresholds: [50] }, 7],
      [{ amount: 500, hard: true, on_reached: "pause", enabled: true }, 7],
      [{ amount: 600 }, 0],
      [{ window: "week" }, 0],
      [{ enabled: false }, 0],
      [{ on_reached: "refuse" }, 0],
    ] as const) {
      await gateway.db.write([
        { query: sql.updateTable("budgets").set({ pauses_after: 7 }).where("id", "=", id) },
      ]);
      expect(await change({ id, ...edit })).toMatchObject({ success: true });
      expect([edit, await pausesAfter()]).toEqual([edit, expected]);
    }
    await admin("DELETE", `${path}${id}`);
    await admin("DELETE", `${path}${counting.id}`);
  });

  test("another window, first day or zone begins a new counter, an amount does not", async () => {
    const one = await made({ subject: "model", model: "m", window: "month", first_day: 31 });
    gateway.clock.now += 60_000;
    expect((await change({ id: one.id, amount: 9 })).data.window_start).toBe(one.window_start);
    const weekly = (await change({ id: one.id, window: "week" })).data;
    expect(weekly).toMatchObject({ window: "week", first_day: 7, window_start: gateway.clock.now });
    expect((await change({ id: one.id, zone: "Asia/Tokyo" })).data.window_start).toBeGreaterThan(
      weekly.window_start,
    );
  });

  test("may have windows of so many days, count some models alone, and carry a note that their users do not see", async () => {
    const terms = {
      window: "days:14",
      zone: "Asia/Tokyo",
      models: ["large", "small", "large"],
      note: "until the audit",
    };
    const one = await made({ subject: "user", subject_id: benId, anchor: "2026-01-05", ...terms });
    expect(one).toMatchObject({ ...terms, models: ["large", "small"], anchor: "2026-01-05" });
    const tokyo = (at: number) =>
      Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO("Asia/Tokyo");
    const end = tokyo(one.resets_at ?? 0);
    expect(Temporal.PlainDate.from("2026-01-05").until(end.toPlainDate()).days % 14).toBe(0);
    expect([end.hour, end.minute]).toEqual([0, 0]);
    expect((await ben("GET", `${path}self`)).body.data).toMatchObject([
      { models: ["large", "small"], note: "" },
    ]);

    const noted = (await change({ id: one.id, note: "over" })).data;
    expect(noted).toMatchObject({ note: "over", window_start: one.window_start });
    for (const edit of [{ models: ["large"] }, { anchor: "2026-01-06" }, { window: "days:7" }]) {
      const { window_start } = (await admin("GET", `${path}${one.id}`)).body.data;
      gateway.clock.now += 1_000;
      const { data } = await change({ id: one.id, ...edit });
      expect(data, JSON.stringify(edit)).toMatchObject(edit);
      expect(data.window_start).toBeGreaterThan(window_start);
    }
    expect((await change({ id: one.id, window: "day" })).data).toMatchObject({
      window: "day",
      anchor: "",
    });
    const anchored = (await change({ id: one.id, window: "days:366" })).data;
    expect(anchored.anchor).toBe(tokyo(gateway.clock.now).toPlainDate().toString());
    await admin("DELETE", `${path}${one.id}`);
  });

  test("are refused without their subject, with a zone that does not exist, and beyond the number of a subject", async () => {
    for (const [wrong, field] of [
      [{ subject: "user" }, "subject_id"],
      [{ subject: "site", subject_id: 1 }, "subject_id"],
      [{ subject: "model" }, "model"],
      [{ subject: "site", window: "week", first_day: 8 }, "first_day"],
      [{ subject: "site", zone: "Mars/Olympus" }, "zone"],
      [{ subject: "site", amount: 0 }, "amount"],
      [{ subject: "site", window: "days:367" }, "window"],
      [{ subject: "site", window: "days:14", anchor: "2026-02-30" }, "anchor"],
      [{ subject: "model", model: "m", models: ["m"] }, "models"],
    ] as const) {
      const reply = await create({ name: "b", window: "day", amount: 5, ...wrong });
      expect(reply, field).toMatchObject({ success: false, code: "invalid_request" });
      expect(Object.keys(reply.fields ?? {}), field).toEqual([field]);
    }
    expect(
      await create({ subject: "user", subject_id: 999_999, name: "b", window: "day", amount: 5 }),
    ).toMatchObject({
      code: "user_not_found",
    });
    for (let n = 0; n < 8; n += 1) await made({ subject: "model", model: "many" });
    const ninth = { subject: "model", model: "many", name: "b", window: "day", amount: 5 };
    expect(await create(ninth)).toMatchObject({ code: "budgets_full" });
  });

  test("of an account that an administrator may not manage are out of reach, and users see their own alone", async () => {
    const { id } = await gateway.addUser("peer", { role: 10 });
    const body = { subject: "user", name: "b", window: "day", amount: 5 };
    expect(await create({ ...body, subject_id: id })).toMatchObject({ code: "user_out_of_reach" });
    expect(await create({ ...body, subject_id: ada.id })).toMatchObject({ success: true });
    const { data: key } = (await ben("POST", "/api/token/", { body: { name: "search" } })).body;
    const ofKey = await made({ subject: "token", subject_id: key.id });
    expect(ofKey.subject_name).toBe("search");
    const ofBen = await made({ subject: "user", subject_id: benId });
    const own = (await ben("GET", `${path}self`)).body;
    expect(own.data.map((budget: Budget) => budget.id)).toEqual([ofBen.id, ofKey.id]);
    expect(own.total).toBe(2);
    const { data: self } = (await ben("GET", "/api/user/self")).body;
    const team = (await admin("POST", "/api/team/", { body: { name: "Readers", owner_id: benId } }))
      .body.data;
    const [member] = (await admin("GET", `/api/team/${team.id}/members`)).body.data;
    const ofTeam = await made({ subject: "team", subject_id: team.id });
    const ofMember = await made({ subject: "member", subject_id: member.id });
    for (const [subject, id, found] of [
      ["team", team.id, ofTeam],
      ["team", team.uuid, ofTeam],
      ["member", member.id, ofMember],
      ["token", key.id, ofKey],
      ["token", key.uuid, ofKey],
      ["user", benId, ofBen],
      ["user", self.uuid, ofBen],
    ]) {
      const listed = (await admin("GET", `${path}?subject=${subject}&subject_id=${id}`)).body.data;
      expect(listed.map((budget: Budget) => budget.id)).toEqual([found.id]);
    }
  });

  test("a user limits what an own key spends in a day, changes that and removes it, and reaches no other key and no other budget", async () => {
    const { data: key } = (await ben("POST", "/api/token/", { body: { name: "limited" } })).body;
    const ofAdmin = await made({ subject: "token", subject_id: key.id });
    const set = async (limit: object, as = ben) =>
      (
        await as("PUT", `/api/token/${key.uuid}/spending_limit`, {
          body: { window: "day", ...limit },
        })
      ).body;
    const both = await Promise.all([set({ amount: 500 }), set({ amount: 500 })]);
    expect(both.map(({ success, code }) => success || code)).toContain(true);
    const limit = (await set({ amount: 700, zone: "Asia/Tokyo" })).data;
    expect(limit).toMatchObject({
      by_owner: true,
      hard: true,
      amount: 700,
      window: "day",
      subject_name: "limited",
    });
    const ownOfKey = async (as = ben) =>
      (await as("GET", `${path}self?token_id=${key.id}`)).body.data.map(
        (budget: Budget) => budget.id,
      );
    expect(await ownOfKey()).toEqual([limit.id, ofAdmin.id]);
    expect(await ownOfKey(admin)).toEqual([]);
    expect(await set({ amount: 5 }, admin)).toMatchObject({ code: "token_not_found" });
    expect(await set({ amount: 5, zone: "Mars/Olympus" })).toMatchObject({
      code: "invalid_request",
    });
    expect(await set({ amount: 0 })).toMatchObject({ success: true, data: null });
    expect(await set({ amount: 0 })).toMatchObject({ success: true, data: null });
    expect(await ownOfKey()).toEqual([ofAdmin.id]);
  });
});
