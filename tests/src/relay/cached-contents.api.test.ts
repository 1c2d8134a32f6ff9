// Gemini's caches at a provider: whose they are, and where calls that name them go.
import { GoogleGenAI } from "@google/genai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { databaseKinds } from "../harness/gateway-database.ts";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import { describeVariants } from "../support/variants.ts";

describeVariants(databaseKinds)("Gemini's caches on %s", (store) => {
  let gateway: TestGateway;
  let ann: GoogleGenAI;
  let annsOther: GoogleGenAI;
  let bob: GoogleGenAI;
  const keys = ["sim-as-caches-one", "sim-as-caches-two"];
  const contents = [{ role: "user", parts: [{ text: "a long story ".repeat(100) }] }];

  beforeAll(async () => {
    gateway = await startTestGateway({ store });
    await gateway.given.channel({ key: keys[0] ?? "", type: 24, models: "gemini-m,other" });
    await gateway.given.channel({
      key: keys[1] ?? "",
      type: 24,
      models: "gemini-m",
      config: '{"pass_cost_members":true}',
    });
    const client = (apiKey: string) =>
      new GoogleGenAI({ apiKey, httpOptions: { baseUrl: gateway.url } });
    const [first, second] = await Promise.all([
      gateway.given.user("ann", { quota: 100_000_000 }),
      gateway.given.user("bob", { quota: 100_000_000 }),
    ]);
    ann = client((await first.token()).key);
    annsOther = client((await first.token()).key);
    bob = client((await second.token({ models: "gemini-m" })).key);
  });
  afterAll(() => gateway.close());

  const statusOf = (call: Promise<unknown>) =>
    call.then(
      () => 200,
      (error: { status?: number }) => error.status,
    );
  const call = (client: GoogleGenAI, cachedContent: string) =>
    client.models.generateContent({
      model: "gemini-m",
      contents: "and then?",
      config: { cachedContent },
    });

  test("a cache is made, named in calls, changed, listed and deleted by its user", async () => {
    const cache = await ann.caches.create({
      model: "gemini-m",
      config: { contents, ttl: "300s", displayName: "story" },
    });
    const name = cache.name ?? "";
    expect(cache).toMatchObject({ displayName: "story", model: "models/gemini-m" });
    expect(await annsOther.caches.get({ name })).toMatchObject({ name });
    await gateway.simulator.clearCalls();
    expect(await statusOf(call(annsOther, name))).toBe(200);
    const used = (await gateway.simulator.calls()).map(({ headers }) => headers["x-goog-api-key"]);
    expect(used).toEqual([keys[1]]);
    expect(await ann.caches.update({ name, config: { ttl: "600s" } })).toMatchObject({
      name,
      ttl: "600s",
    });
    const listed = [];
    for await (const one of await ann.caches.list()) listed.push(one.name);
    expect(listed).toEqual([name]);
    const [state] = await gateway.rows<{ context_tokens: number }>(
      "select context_tokens from provider_states where kind = 'cache'",
    );
    expect(Number(state?.context_tokens)).toBeGreaterThan(1_000);
    expect(await statusOf(ann.caches.delete({ name }))).toBe(200);
    expect(await statusOf(ann.caches.get({ name }))).toBe(404);
  });

  test("a cache of another user answers like one that never existed", {
    tags: ["S2-12"],
  }, async () => {
    const { name = "" } = await ann.caches.create({ model: "gemini-m", config: { contents } });
    await gateway.simulator.clearCalls();
    for (const named of [name, "cachedContents/never"])
      for (const act of [
        () => bob.caches.get({ name: named }),
        () => bob.caches.update({ name: named, config: { ttl: "9s" } }),
        () => bob.caches.delete({ name: named }),
        () => call(bob, named),
      ])
        expect(await statusOf(act()), named).toBe(404);
    const listed = [];
    for await (const one of await bob.caches.list()) listed.push(one.name);
    expect([listed, await gateway.simulator.calls()]).toEqual([[], []]);
    await ann.caches.delete({ name });
  });

  test("what a key may not use, no channel keeps or is not known is refused, and nothing is sent", async () => {
    await gateway.simulator.clearCalls();
    const file = [
      {
        role: "user",
        parts: [
          { fileData: { fileUri: "https://generativelanguage.googleapis.com/v1beta/files/a" } },
        ],
      },
    ];
    expect(await statusOf(bob.caches.create({ model: "other", config: { contents } }))).toBe(403);
    expect(await statusOf(ann.caches.create({ model: "other", config: { contents } }))).toBe(503);
    expect(
      await statusOf(ann.caches.create({ model: "gemini-m", config: { contents: file } })),
    ).toBe(404);
    expect(
      await statusOf(
        ann.caches.create({ model: "gemini-m", config: { contents, kmsKeyName: "k" } as never }),
      ),
    ).not.toBe(200);
    expect(await gateway.simulator.calls()).toEqual([]);
  });
});
