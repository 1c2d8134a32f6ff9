import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { PriceOffers } from "@tollgate/contract/catalogue/price-offers.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

const path = "/api/price/offers";
const hourMs = 3_600_000;
const cost = (input: number, output: number) => ({
  input_cost_per_token: input / 1e6,
  output_cost_per_token: output / 1e6,
});

describeVariants(testDatabases)("an offered price list on $name", (database) => {
  let gateway: ManagementGateway;
  let root: TestApiClient;
  let server: Server;
  let address: string;
  /** `answer` is what the server of the list answers. */
  const answer = { status: 200, text: "" };
  beforeAll(async () => {
    server = createServer((_, reply) => reply.writeHead(answer.status).end(answer.text));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/prices.json`;
    gateway = await startManagementGateway(database);
    root = await gateway.signIn("root");
    await root("POST", "/api/channel/", {
      body: { name: "west", type: 1, key: "k", models: "gpt-4o,gpt-4.1,newest" },
    });
  });
  afterAll(async () => {
    await gateway.close();
    await new Promise((resolve) => server.close(resolve));
  });

  const offer = (prices: Record<string, object>) =>
    JSON.stringify({ ...prices, "of-no-channel": cost(1, 1) });
  const offers = async (): Promise<PriceOffers> => (await root("GET", path)).body.data;
  const read = async (body: object) => (await root("POST", `${path}/read`, { body })).body;
  const decide = async (body: object) => (await root("POST", `${path}/decide`, { body })).body;
  const priceOf = async (model: string) => {
    const rows: { model: string; in_force: object }[] = (await root("GET", "/api/price/")).body
      .data;
    return rows.find((row) => row.model === model)?.in_force;
  };

  test("shows what differs of the models in use, and changes no price", async () => {
    expect(await offers()).toMatchObject({ list_source: "", read_at: 0, revision: 0, offers: [] });
    const content = offer({ "gpt-4o": cost(2.5, 10), "gpt-4.1": cost(3, 8), newest: cost(5, 20) });
    const { data } = await read({ content, name: "prices of Monday.json" });
    expect(data).toMatchObject({
      list_source: "prices of Monday.json",
      list_models: 4,
      failure: null,
      address: "",
    });
    expect(data.read_at).toBe(gateway.clock.now);
    expect(data.offers).toMatchObject([
      {
        model: "gpt-4.1",
        source: "built_in",
        before: { input: 2, output: 8 },
        after: { input: 3, output: 8 },
      },
      {
        model: "newest",
        source: "default",
        before: { input: 2.5 },
        after: { input: 5, output: 20 },
      },
    ]);
    expect(data.offers[0].source_name).toContain("genai-prices");
    expect(await priceOf("gpt-4.1")).toMatchObject({ input: 2 });
    expect(await priceOf("newest")).toMatchObject({ input: 2.5 });
  });

  test("is taken model by model, recorded with both prices; what is set aside comes back with another price", async () => {
    const { revision } = await offers();
    const taken = await decide({ revision, models: ["newest"], decision: "take" });
    expect(taken.data.offers.map(({ model }: { model: string }) => model)).toEqual(["gpt-4.1"]);
    expect(await priceOf("newest")).toMatchObject({ input: 5, output: 20 });
    const aside = await decide({
      revision: taken.data.revision,
      models: ["gpt-4.1"],
      decision: "set_aside",
    });
    expect(aside.data.offers).toMatchObject([{ model: "gpt-4.1", is_set_aside: true }]);
    const entries = (await root("GET", "/api/audit/?size=2")).body.data;
    expect(entries).toMatchObject([
      { action: "price_offer.set_aside", target: "gpt-4.1" },
      { action: "model_price.update", target: "newest" },
    ]);
    expect(JSON.parse(entries[1].change)).toEqual({
      from: null,
      to: { input: 5, output: 20 },
      list: "prices of Monday.json",
    });

    await read({ content: offer({ "gpt-4.1": cost(3, 8) }) });
    expect((await offers()).offers).toMatchObject([{ model: "gpt-4.1", is_set_aside: true }]);
    await read({ content: offer({ "gpt-4.1": cost(3, 9) }) });
    expect((await offers()).offers).toMatchObject([
      { model: "gpt-4.1", is_set_aside: false, after: { output: 9 } },
    ]);
  });

  test("is taken as it was shown or not at all, and once", async () => {
    await read({ content: offer({ "gpt-4o": cost(3, 12), "gpt-4.1": cost(4, 16) }) });
    const { revision } = await offers();
    const models = ["gpt-4o", "gpt-4.1"];
    expect(await decide({ revision: revision - 1, models, decision: "take" })).toMatchObject({
      code: "changed_meanwhile",
    });
    expect(
      await decide({ revision, models: [...models, "newest"], decision: "take" }),
    ).toMatchObject({
      code: "changed_meanwhile",
    });
    expect(await priceOf("gpt-4o")).toMatchObject({ input: 2.5 });
    const both = await Promise.all(
      [1, 2].map(() => decide({ revision, models, decision: "take" })),
    );
    expect(both.map(({ success }) => success).sort()).toEqual([false, true]);
    expect([await priceOf("gpt-4o"), await priceOf("gpt-4.1")]).toMatchObject([
      { input: 3 },
      { input: 4 },
    ]);
    expect((await offers()).offers).toEqual([]);
  });

  test("keeps what the operator states beside it", async () => {
    await root("POST", "/api/price/bulk", { body: { models: ["newest"], set: { calls: 0.01 } } });
    await read({ content: offer({ newest: cost(6, 20) }) });
    const { revision, offers: open } = await offers();
    expect(open).toMatchObject([
      { source: "operator", before: { input: 5, calls: 0.01 }, after: { input: 6 } },
    ]);
    await decide({ revision, models: ["newest"], decision: "take" });
    expect(await priceOf("newest")).toMatchObject({ input: 6, output: 20, calls: 0.01 });
  });

  test("is read from an address at once and then each day by one node, and a failure keeps the list", async () => {
    answer.text = offer({ "gpt-4o": cost(9, 12) });
    const refused = await root("POST", `${path}/read`, { body: { address } });
    expect([refused.status, refused.body.message]).toEqual([
      400,
      expect.stringContaining("PRICE_LIST_PRIVATE_HOSTS"),
    ]);
    gateway.priceListHosts.add(new URL(address).host);
    expect((await read({ address })).data).toMatchObject({
      address,
      list_source: address,
      failure: null,
      offers: [{ model: "gpt-4o", before: { input: 3 }, after: { input: 9 } }],
    });

    const { signal } = new AbortController();
    answer.text = offer({ "gpt-4o": cost(8, 12) });
    gateway.clock.now += 23 * hourMs;
    await gateway.priceOffers.readDue(signal);
    expect((await offers()).offers).toMatchObject([{ after: { input: 9 } }]);
    gateway.clock.now += 2 * hourMs;
    await Promise.all([gateway.priceOffers.readDue(signal), gateway.priceOffers.readDue(signal)]);
    const { revision, read_at, ...view } = await offers();
    expect(view.offers).toMatchObject([{ after: { input: 8 } }]);
    expect(read_at).toBe(gateway.clock.now);

    answer.status = 500;
    expect((await read({ address })).data).toMatchObject({
      failure: "status",
      offers: [{ after: { input: 8 } }],
    });
    answer.status = 200;
    answer.text = "<html>";
    expect((await read({ address })).data).toMatchObject({ failure: "unreadable", list_models: 2 });
    expect((await read({ address: "" })).data).toMatchObject({
      address: "",
      failure: null,
      list_models: 2,
    });
    expect(revision).toBeGreaterThan(0);
    expect(gateway.problems).toEqual([]);
  });

  test("raises one alert about prices that move by more than a fifth, which ends when root has decided", async () => {
    const alerts = async () => {
      gateway.clock.now += 15_000;
      await gateway.alerts.fold();
      const rows: { rule: string; text: string }[] = (await root("GET", "/api/alert/?state=firing"))
        .body.data;
      return rows.filter(({ rule }) => rule === "price.changed");
    };
    const { in_force } = (await root("GET", "/api/price/?keyword=gpt-4.1")).body.data[0];
    const { input, output } = in_force;
    await read({ content: offer({ "gpt-4.1": cost(input * 1.19, output) }), name: "near.json" });
    expect(await alerts()).toEqual([]);
    await read({ content: offer({ "gpt-4.1": cost(input * 1.25, output) }), name: "far.json" });
    expect(await alerts()).toMatchObject([{ text: expect.stringContaining("gpt-4.1") }]);
    const { revision } = await offers();
    await decide({ revision, models: ["gpt-4.1"], decision: "set_aside" });
    expect(await alerts()).toEqual([]);
  });

  test("is for root alone", async () => {
    await gateway.addUser("ada", { role: 10 });
    const admin = await gateway.signIn("ada");
    expect((await admin("GET", path)).status).toBe(403);
  });

  test.each([
    [{}, "address is required, or content"],
    [{ address: "a", content: "{}" }, "address is required, or content"],
    [{ content: "no list" }, "The file cannot be used: the list is not JSON"],
    [{ content: "{}" }, "The file cannot be used: the list has no price that can be compared"],
    [{ address: "ftp://prices.example.com" }, "must begin with https://"],
  ])("%j is refused", async (body, message) => {
    const reply = await root("POST", `${path}/read`, { body });
    expect(reply.status).toBe(400);
    expect(reply.body.message).toContain(message);
  });
});
