import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import { ruleDatabaseKinds } from "../harness/gateway-database.ts";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";

interface ListedStatus {
  status: number;
  disabled_reason: string;
}

describe.each(ruleDatabaseKinds)("channels whose provider refuses their key, on %s", (store) => {
  let gateway: TestGateway;
  let key: string;
  beforeAll(async () => {
    gateway = await startTestGateway({ store });
    await gateway.api("PUT", "/api/option/", {
      key: "AutomaticDisableChannelEnabled",
      value: "true",
    });
    key = (await gateway.given.token()).key;
  });
  afterAll(() => gateway.close());

  const shown = (id: number) => gateway.api<ListedStatus>("GET", `/api/channel/${id}`);

  test("are out of service from then on, and say why", { tags: ["FT-08"] }, async () => {
    const refused = await gateway.given.channel({
      key: "sim-401",
      models: "m-refused",
      priority: 5,
    });
    const works = await gateway.given.channel({ key: "sim-ok", models: "m-refused" });
    expect((await gateway.chat(key, { model: "m-refused" })).status).toBe(200);
    await eventually(async () => expect(await shown(refused.id)).toMatchObject({ status: 3 }));
    expect((await shown(refused.id)).disabled_reason).toMatch(/^The provider refused the key: /);
    expect((await shown(works.id)).status).toBe(1);
    const [row] = await gateway.rows<{ content: string; channel_id: number }>(
      "select * from logs where type = 4",
    );
    expect(row).toMatchObject({ channel_id: refused.id });
    expect(row?.content).toContain("was disabled automatically");
  });

  test("an error message alone changes nothing: the client may have written its text", {
    tags: ["F-102"],
  }, async () => {
    const channel = await gateway.given.channel({ key: "talks", models: "m-talks" });
    const fail = {
      status: 400,
      message: "invalid api key, quota exceeded, account deactivated, credit balance",
    };
    await fetch(`${gateway.simulator.url}/sim/keys/talks`, {
      method: "PUT",
      body: JSON.stringify({ fail }),
    });
    for (let call = 0; call < 3; call += 1)
      expect((await gateway.chat(key, { model: "m-talks" })).status).toBe(400);
    const overloaded = await gateway.given.channel({ key: "sim-503", models: "m-busy" });
    await gateway.chat(key, { model: "m-busy" });
    await gateway.settled();
    expect([(await shown(channel.id)).status, (await shown(overloaded.id)).status]).toEqual([1, 1]);
  });
});
