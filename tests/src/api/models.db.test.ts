import { listDisplayedModels } from "@tollgate/contract/catalogue/models.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

describeVariants(testDatabases)("the model catalogue on $name", (database) => {
  let gateway: ManagementGateway;
  let admin: TestApiClient;
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    await gateway.addUser("ada", { role: 10 });
    await gateway.addUser("guest", { group: "default" });
    await gateway.addUser("vip", { group: "vip" });
    admin = await gateway.signIn("ada");
    const priced = {
      dear: { ratio: 1.5, completion_ratio: 4, cached_input_ratio: 0.15, max_tokens: 4096 },
      free: { ratio: 0 },
      painter: { ratio: 2.5, image: { price_per_image_usd: 0.04 } },
    };
    await add("Main", {
      models: "dear,free,painter,secret",
      model_configs: JSON.stringify(priced),
      priority: 5,
    });
    await add("Second", {
      models: "dear,gpt-4o,nobody-knows",
      model_mapping: '{"nobody-knows":"unlisted"}',
    });
    await add("For the few", { models: "velvet", group: "vip", type: 14 });
    const off = await add("Off", { models: "gone" });
    await admin("PUT", "/api/channel/?status_only=1", { body: { id: off.id, status: 2 } });
  });
  afterAll(() => gateway.close());

  const add = async (name: string, more: object) => {
    const hidden = name === "Main" ? { hidden_models: '["secret"]' } : {};
    const { body } = await admin("POST", "/api/channel/", {
      body: { name, type: 1, key: "sk-1", ...hidden, ...more },
    });
    expect(body).toMatchObject({ success: true });
    return body.data[0];
  };
  const shown = async (client: TestApiClient) =>
    (await client("GET", listDisplayedModels.path)).body.data;
  const names = (data: Record<string, { models: object }>) =>
    Object.fromEntries(
      Object.entries(data).map(([key, { models }]) => [key, Object.keys(models).sort()]),
    );

  test("visitors see every enabled model by provider and no name of a channel", async () => {
    const data = await shown(gateway.visitor);
    expect(names(data)).toEqual({
      "OpenAI:OpenAI": ["dear", "free", "gpt-4o", "nobody-knows", "painter"],
      "Anthropic:Anthropic": ["velvet"],
    });
    expect(JSON.stringify(data)).not.toMatch(/Main|Second|few/);
  });

  test("who is signed in sees the models of their group", async () => {
    expect(Object.keys(await shown(await gateway.signIn("guest")))).toEqual(["OpenAI:OpenAI"]);
    expect(Object.keys(await shown(await gateway.signIn("vip")))).toEqual(["Anthropic:Anthropic"]);
  });

  test("administrators see it by channel", async () => {
    expect(names(await shown(admin))).toEqual({
      "OpenAI:Main": ["dear", "free", "painter"],
      "OpenAI:Second": ["dear", "gpt-4o", "nobody-knows"],
    });
  });

  test("a price is per million tokens; of several channels the first in routing order counts", async () => {
    const { models } = (await shown(gateway.visitor))["OpenAI:OpenAI"];
    expect(models.dear).toMatchObject({
      input_price: 3,
      cached_input_price: 0.3,
      output_price: 12,
      max_tokens: 4096,
      price_verified: true,
    });
    expect(models.free).toMatchObject({ input_price: 0, output_price: 0 });
    expect(models.painter.image_price).toBe(0.04);
    expect(models.dear).not.toHaveProperty("image_price");
    expect(models["gpt-4o"]).toMatchObject({
      input_price: 2.5,
      output_price: 10,
      price_verified: true,
    });
    expect(models["nobody-knows"]).toMatchObject({
      input_price: 2.5,
      max_tokens: 0,
      price_verified: false,
    });
  });

  test("a built-in price includes the prices of the cache", async () => {
    const channel = await add("Claude", { models: "claude-haiku-4-5,claude-sonnet-4-5", type: 14 });
    const { models } = (await shown(gateway.visitor))["Anthropic:Anthropic"];
    expect(models["claude-haiku-4-5"]).toMatchObject({
      input_price: 1,
      cached_input_price: 0.1,
      cache_write_5m_price: 1.25,
      cache_write_1h_price: 2,
      output_price: 5,
      max_tokens: 64_000,
      price_verified: true,
    });
    expect(models["claude-sonnet-4-5"]).toMatchObject({
      input_price: 3,
      output_price: 15,
      price_verified: true,
      tiers: [{ above: 200_000, input_price: 6, cached_input_price: 0.6, output_price: 22.5 }],
    });
    await admin("DELETE", `/api/channel/${channel.id}`);
  });

  test("a change of channels shows at once", async () => {
    const late = await add("Late", { models: "newcomer", type: 36 });
    expect(names(await shown(gateway.visitor))["DeepSeek:DeepSeek"]).toEqual(["newcomer"]);
    await admin("DELETE", `/api/channel/${late.id}`);
    expect(await shown(gateway.visitor)).not.toHaveProperty("DeepSeek:DeepSeek");
  });

  test("nothing went wrong inside", () => expect(gateway.problems).toEqual([]));
});
