import type { VirtualModel } from "@tollgate/contract/catalogue/virtual-models.ts";
import { buildEventRow } from "@tollgate/gateway/storage/event-row.ts";
import { computeIdFloor } from "@tollgate/gateway/storage/time-ids.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

const path = "/api/virtual_model/";
const tier = (...models: string[]) => ({
  strategy: "weights",
  targets: models.map((model) => ({ model, weight: 1 })),
});

describeVariants(testDatabases)("virtual models on $name", (database) => {
  let gateway: ManagementGateway;
  let admin: TestApiClient;
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    await gateway.addUser("ada", { role: 10 });
    admin = await gateway.signIn("ada");
    await admin("POST", "/api/channel/", {
      body: { name: "c", type: 1, key: "k", models: "small,large" },
    });
  });
  afterAll(() => gateway.close());

  const create = async (body: object) => (await admin("POST", path, { body })).body;
  const made = async (body: object): Promise<VirtualModel> => {
    const reply = await create(body);
    expect(reply).toMatchObject({ success: true });
    return reply.data;
  };

  test("are created with usual values, listed by name, changed in part, found by id and uuid, and deleted", async () => {
    const one = await made({ name: "zeta", tiers: [tier("small"), tier("unheard-of")] });
    expect(one).toMatchObject({
      enabled: true,
      sticky: "conversation",
      access: "name",
      retries_refused_content: false,
      unserved: ["unheard-of"],
    });
    const { id } = await made({ name: "alpha", tiers: [tier("large")] });
    const listed = (await admin("GET", path)).body.data as VirtualModel[];
    expect(listed.map(({ name }) => name)).toEqual(["alpha", "zeta"]);
    const changed = await admin("PUT", path, {
      body: { uuid: one.uuid, sticky: "user", updated_at: one.updated_at },
    });
    expect(changed.body.data).toMatchObject({ name: "zeta", sticky: "user", tiers: one.tiers });
    expect(
      (await admin("PUT", path, { body: { id: one.id, updated_at: one.updated_at } })).body.code,
    ).toBe("changed_meanwhile");
    expect((await admin("GET", `${path}${one.uuid}`)).body.data).toEqual(changed.body.data);
    for (const gone of [one.id, id]) {
      expect((await admin("DELETE", `${path}${gone}`)).body).toMatchObject({ success: true });
    }
    expect((await admin("GET", `${path}${one.id}`)).body.code).toBe("virtual_model_not_found");
  });

  test("have a name of their own, hide a model only on request, and never lead to one another", async () => {
    await made({ name: "first", tiers: [tier("small")] });
    expect(await create({ name: "first", tiers: [tier("small")] })).toMatchObject({
      code: "virtual_model_name_taken",
    });
    expect(await create({ name: "small", tiers: [tier("large")] })).toMatchObject({
      code: "virtual_model_replaces",
    });
    expect(await create({ name: "second", tiers: [tier("first")] })).toMatchObject({
      code: "virtual_model_chained",
    });
    expect(
      await create({ name: "large", replaces_model: true, tiers: [tier("large"), tier("small")] }),
    ).toMatchObject({
      success: true,
    });
    // "first" points to it, so that it can become no virtual model.
    expect(await create({ name: "small", replaces_model: true, tiers: [tier("x")] })).toMatchObject(
      {
        code: "virtual_model_chained",
      },
    );
  });

  test("are refused with a model twice, without a target, or with more than the router takes", async () => {
    const names = Array.from({ length: 11 }, (_, index) => `m${index}`);
    for (const tiers of [
      [],
      [{ strategy: "weights", targets: [] }],
      [tier("small"), tier("small")],
      [tier(...names)],
      [tier("a"), tier("b"), tier("c"), tier("d")],
      [{ strategy: "weights", targets: [{ model: "a", weight: -1 }] }],
      [{ strategy: "random", targets: [{ model: "a", weight: 1 }] }],
      [tier("with,comma")],
    ]) {
      expect(await create({ name: "refused", tiers })).toMatchObject({
        success: false,
        code: "invalid_request",
      });
    }
  });

  test("two creations of one name at the same time make one virtual model", async () => {
    const replies = await Promise.all(
      [1, 2, 3].map(() => create({ name: "raced", tiers: [tier("small")] })),
    );
    expect(replies.map(({ code }) => code ?? "created").toSorted()).toEqual([
      "created",
      "virtual_model_name_taken",
      "virtual_model_name_taken",
    ]);
  });

  test("show what their calls became by the model that answered, of the last 24 hours alone", async () => {
    const { id } = await made({ name: "measured", tiers: [tier("small")] });
    const call = (minutesAgo: number, model_name: string, more: object = {}) => ({
      ...buildEventRow({
        id: computeIdFloor(gateway.clock.now - minutesAgo * 60_000),
        type: 2,
        user_id: 1,
        username: "u",
        quota: 7,
        content: "",
      }),
      ...{ model_name, origin_model_name: "measured", outcome: "success", ...more },
    });
    const rows = [
      call(1, "small", { ttft_ms: 100, prompt_tokens: 3, completion_tokens: 4 }),
      call(2, "small", { ttft_ms: 301, retries: 1 }),
      call(3, "large", { outcome: "failed", quota: 0, retries: 1 }),
      call(4, "small", { origin_model_name: "small" }),
      call(5, "small", { type: 6 }),
      call(24 * 60 + 1, "large"),
    ];
    await gateway.db.write([{ query: gateway.db.sql.insertInto("logs").values(rows) }]);
    expect((await admin("GET", `${path}${id}/usage`)).body.data).toEqual([
      {
        model: "small",
        calls: 2,
        failures: 0,
        after_failure: 1,
        first_content_ms: 201,
        tokens: 7,
        quota: 14,
      },
      {
        model: "large",
        calls: 1,
        failures: 1,
        after_failure: 0,
        first_content_ms: null,
        tokens: 0,
        quota: 0,
      },
    ]);
    expect((await admin("GET", `${path}999/usage`)).body.code).toBe("virtual_model_not_found");
  });
});
