import type { BudgetTemplate } from "@tollgate/contract/accounts/budget-templates.ts";
import type { Budget } from "@tollgate/contract/accounts/budgets.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

const path = "/api/budget_template/";

describeVariants(testDatabases)("budget templates on $name", (database) => {
  let gateway: ManagementGateway;
  let root: TestApiClient;
  let admin: TestApiClient;
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    root = await gateway.signIn("root");
    await gateway.addUser("ada", { role: 10 });
    admin = await gateway.signIn("ada");
    await setOption("GroupRatio", JSON.stringify({ default: 1, partners: 1 }));
  });
  afterAll(() => gateway.close());

  const setOption = (key: string, value: string) =>
    root("PUT", "/api/option/", { body: { key, value } });
  const create = async (body: object) =>
    (
      await admin("POST", path, {
        body: { subject: "user", name: "t", window: "week", amount: 500, ...body },
      })
    ).body;
  const made = async (body: object): Promise<BudgetTemplate> => {
    const reply = await create(body);
    expect(reply).toMatchObject({ success: true });
    return reply.data;
  };
  const change = async (body: object) => (await admin("PUT", path, { body })).body;
  const remove = async (...templates: BudgetTemplate[]) => {
    for (const { id } of templates)
      expect((await admin("DELETE", `${path}${id}`)).body).toMatchObject({ success: true });
  };
  const templates = async (): Promise<BudgetTemplate[]> => (await admin("GET", path)).body.data;
  const budgetsOf = async (subject: "user" | "token", id: number): Promise<Budget[]> =>
    (await admin("GET", `/api/budget/?subject=${subject}&subject_id=${id}&size=100`)).body.data;
  const namesOf = async (subject: "user" | "token", id: number) =>
    (await budgetsOf(subject, id)).map(({ name }) => name).sort();
  const userNamed = async (username: string): Promise<{ id: number }> =>
    (await root("GET", `/api/user/search?keyword=${username}`)).body.data[0];
  const keysOf = async (userId: number) =>
    gateway.db.read(
      gateway.db.sql
        .selectFrom("tokens")
        .select(["id", "session_hash"])
        .where("user_id", "=", userId),
    );
  let keys = 0;
  const newKey = async (): Promise<number> => {
    keys += 1;
    const reply = await admin("POST", "/api/token/", { body: { name: `key ${keys}` } });
    expect(reply.body).toMatchObject({ success: true });
    return reply.body.data.id;
  };

  test("give budgets to accounts and keys that are made from then on, however they are made, and to no others", async () => {
    const before = await gateway.addUser("early");
    const all = [
      await made({ name: "each user" }),
      await made({ name: "each partner", group: "partners" }),
      await made({
        name: "each key",
        subject: "token",
        window: "day",
        zone: "Asia/Tokyo",
        thresholds: [50],
      }),
    ];
    expect(await namesOf("user", before.id)).toEqual([]);

    const password = "a good password of theirs";
    await root("POST", "/api/user/", { body: { username: "byroot", password, group: "partners" } });
    expect(await namesOf("user", (await userNamed("byroot")).id)).toEqual([
      "each partner",
      "each user",
    ]);

    await gateway.visitor("POST", "/api/user/register", {
      body: { username: "stranger", password },
    });
    const { id } = await userNamed("stranger");
    expect(await namesOf("user", id)).toEqual(["each user"]);
    const [first] = await keysOf(id);
    expect(await namesOf("token", first?.id ?? 0)).toEqual(["each key"]);

    const ownKey = await newKey();
    const [ofKey] = await budgetsOf("token", ownKey);
    expect(ofKey).toMatchObject({
      ...{
        name: "each key",
        window: "day",
        zone: "Asia/Tokyo",
        amount: 500,
        hard: true,
        thresholds: [50],
      },
      ...{
        template_id: all[2]?.id,
        by_owner: false,
        enabled: true,
        window_start: gateway.clock.now,
        spent: 0,
      },
    });
    const adminId = (await userNamed("ada")).id;
    await admin("POST", "/api/user/playground_token");
    const playground = (await keysOf(adminId)).find(({ session_hash }) => session_hash !== null);
    expect(await namesOf("token", playground?.id ?? 0)).toEqual([]);
    expect(playground).toBeDefined();
    expect((await templates()).map(({ name, followers }) => [name, followers])).toEqual([
      ["each user", 2],
      ["each partner", 1],
      ["each key", 2],
    ]);
    await remove(...all);
    expect(await budgetsOf("token", ownKey)).toMatchObject([
      { name: "each key", template_id: null },
    ]);
  });

  test("change all budgets that follow them, and none that was changed by itself or deleted", async () => {
    const template = await made({ subject: "token", name: "each key" });
    const [following, edited, gone, resaved] = [
      await newKey(),
      await newKey(),
      await newKey(),
      await newKey(),
    ];
    const only = async (key: number) => (await budgetsOf("token", key))[0];
    const [ofEdited, ofGone, ofResaved] = [
      await only(edited),
      await only(gone),
      await only(resaved),
    ];
    const byHand = (
      await admin("PUT", "/api/budget/", { body: { uuid: ofEdited?.uuid, amount: 9 } })
    ).body.data;
    expect(byHand).toMatchObject({ amount: 9, template_id: null });
    await admin("DELETE", `/api/budget/${ofGone?.id}`);
    const same = { uuid: ofResaved?.uuid, name: ofResaved?.name, amount: ofResaved?.amount };
    expect((await admin("PUT", "/api/budget/", { body: same })).body.data).toMatchObject({
      template_id: template.id,
    });

    gateway.clock.now += 60_000;
    const before = await only(following);
    const smaller = (await change({ id: template.id, amount: 7, hard: false, name: "small" })).data;
    expect(smaller).toMatchObject({
      amount: 7,
      hard: false,
      name: "small",
      window: "week",
      followers: 2,
    });
    expect(await only(following)).toMatchObject({
      ...{
        amount: 7,
        hard: false,
        name: "small",
        template_id: template.id,
        updated_at: gateway.clock.now,
      },
      window_start: before?.window_start,
    });
    expect(await only(resaved)).toMatchObject({ amount: 7 });
    expect(await only(edited)).toMatchObject({
      amount: 9,
      name: "each key",
      updated_at: byHand.updated_at,
    });
    expect(await only(gone)).toBeUndefined();

    gateway.clock.now += 60_000;
    await change({ uuid: template.uuid, zone: "Asia/Tokyo", enabled: false });
    expect(await only(following)).toMatchObject({
      enabled: false,
      window_start: gateway.clock.now,
    });
    expect(
      await change({ id: template.id, amount: 8, updated_at: smaller.updated_at }),
    ).toMatchObject({
      code: "changed_meanwhile",
    });
    await remove(template);
  });

  test("of which one changes while keys are made leave no key with what it said before", async () => {
    const template = await made({ subject: "token", name: "raced", amount: 1 });
    for (let amount = 2; amount <= 9; amount += 1)
      await Promise.all([newKey(), newKey(), change({ id: template.id, amount }), newKey()]);
    const { db } = gateway;
    const followers = await db.read(
      db.sql.selectFrom("budgets").select("amount").where("template_id", "=", template.id),
    );
    expect(followers.map(({ amount }) => amount)).toEqual(Array.from({ length: 24 }, () => 9));
    await remove(template);
  });

  test("are refused for a group that does not exist, for what is no account or key, and beyond what a subject may have", async () => {
    for (const [wrong, field] of [
      [{ group: "nobody" }, "group"],
      [{ subject: "site" }, "subject"],
      [{ window: "week", first_day: 8 }, "first_day"],
      [{ zone: "Mars/Olympus" }, "zone"],
      [{ models: ["cheap"], on_reached: "model:cheap" }, "on_reached"],
    ] as const) {
      const reply = await create(wrong);
      expect(reply, field).toMatchObject({ success: false, code: "invalid_request" });
      expect(Object.keys(reply.fields ?? {}), field).toEqual([field]);
    }
    const full: BudgetTemplate[] = [];
    for (const group of ["", "partners"])
      for (let n = 0; n < 4; n += 1) full.push(await made({ group, name: `${n}` }));
    expect(await create({ group: "partners" })).toMatchObject({ code: "budget_templates_full" });
    const { id } = await gateway.addUser("many", { group: "partners" });
    expect(await namesOf("user", id)).toHaveLength(8);
    await remove(...full);
    expect((await admin("DELETE", `${path}${full[0]?.id}`)).body).toMatchObject({
      code: "budget_template_not_found",
    });
  });
});
