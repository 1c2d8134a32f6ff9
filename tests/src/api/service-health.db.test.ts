// The status page: who may see it, and what it does not tell.
import { getServiceHealth } from "@tollgate/contract/figures/service-health.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";
import { addSettledCall, waitForRollups } from "./seed-logs.ts";

describeVariants(testDatabases)("the status page on $name", (database) => {
  let gateway: ManagementGateway;
  let root: TestApiClient;
  let user: TestApiClient;
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    root = await gateway.signIn("root");
    const at = gateway.clock.now;
    const caller = await gateway.addUser("caller", { group: "default" });
    user = await gateway.signIn("caller");
    const channel = (name: string, more: object) =>
      root("POST", "/api/channel/", { body: { name, type: 1, key: "sk-1", ...more } });
    await channel("secret channel", {
      models: "small,alias",
      model_mapping: '{"alias":"hidden-name"}',
    });
    await channel("of the few", { models: "velvet", group: "vip-group" });
    for (const outcome of ["success", "success", "success", "failed"])
      await addSettledCall(gateway, caller, at, {
        model_name: "small",
        outcome,
        channel_name: "secret channel",
      });
    await addSettledCall(gateway, caller, at, { model_name: "hidden-name", outcome: "success" });
    await addSettledCall(gateway, caller, at, { model_name: "velvet", outcome: "success" });
    await waitForRollups(gateway, 6);
  });
  afterAll(() => gateway.close());

  const see = (client: TestApiClient) => client("GET", getServiceHealth.path);
  const set = async (key: string, value: "true" | "false") => {
    const { body } = await root("PUT", "/api/option/", { body: { key, value } });
    expect(body).toMatchObject({ success: true });
  };
  const isSeenBy = async () => [(await see(gateway.visitor)).status, (await see(user)).status];

  test("does not exist until the operator shows it, to users or to visitors too", async () => {
    expect(await isSeenBy()).toEqual([404, 404]);
    const nowhere = await gateway.visitor("GET", "/api/there_is_no_such_page");
    for (const client of [gateway.visitor, user])
      expect((await see(client)).body).toMatchObject({ success: false, code: nowhere.body.code });
    await set("StatusPageEnabled", "true");
    expect(await isSeenBy()).toEqual([404, 200]);
    await set("StatusPagePublicEnabled", "true");
    expect(await isSeenBy()).toEqual([200, 200]);
    await set("StatusPageEnabled", "false");
    expect(await isSeenBy()).toEqual([200, 200]);
  });

  test("has the models of the caller's group with the share of calls that did not fail", async () => {
    await set("StatusPagePublicEnabled", "true");
    expect((await see(user)).body.data).toMatchObject({
      models: [
        { model: "alias", success_rate: 100, state: "ok" },
        { model: "small", success_rate: 75 },
      ],
    });
    const { models } = (await see(gateway.visitor)).body.data;
    expect(models.map(({ model }: { model: string }) => model)).toEqual([
      "alias",
      "small",
      "velvet",
    ]);
    expect(models[0].days).toHaveLength(90);
  });

  test("tells no name of a channel, group, user or upstream model, and no number of calls", async () => {
    await set("StatusPagePublicEnabled", "true");
    const text = JSON.stringify((await see(gateway.visitor)).body);
    for (const secret of [
      "secret channel",
      "of the few",
      "vip-group",
      "default",
      "hidden-name",
      "caller",
      "request",
    ])
      expect(text).not.toContain(secret);
  });
});
