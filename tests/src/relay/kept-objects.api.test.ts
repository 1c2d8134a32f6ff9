// Conversations, vector stores and containers at a provider: whose they are, and where calls that
// name them go.
import { DatabaseSync } from "node:sqlite";
import { readSqliteFile } from "@tollgate/gateway/storage/open-database.ts";
import OpenAI, { toFile } from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { databaseKinds } from "../harness/gateway-database.ts";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import { openAiFailure as failure } from "../support/openai-failure.ts";
import { describeVariants } from "../support/variants.ts";

describeVariants(databaseKinds)("objects at providers on %s", (store) => {
  let gateway: TestGateway;
  let ann: OpenAI;
  let annsOther: OpenAI;
  let bob: OpenAI;
  const keys = ["sim-as-objects-one", "sim-as-objects-two"];

  beforeAll(async () => {
    gateway = await startTestGateway({ store });
    // The second one alone bears costs that nothing counts.
    await gateway.given.channel({ key: keys[0] ?? "", models: "m" });
    await gateway.given.channel({
      key: keys[1] ?? "",
      models: "m",
      config: '{"pass_cost_members":true}',
    });
    const client = (apiKey: string) =>
      new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey, maxRetries: 0 });
    const [first, second] = await Promise.all([
      gateway.given.user("ann", { quota: 100_000_000 }),
      gateway.given.user("bob", { quota: 100_000_000 }),
    ]);
    ann = client((await first.token()).key);
    annsOther = client((await first.token()).key);
    bob = client((await second.token()).key);
  });
  afterAll(async () => {
    expect(await gateway.audit()).toBe("The books agree.");
    await gateway.close();
  });

  const asked = async (path: string) =>
    (await gateway.simulator.calls())
      .filter((call) => call.path.startsWith(path))
      .map(({ method }) => method);
  /** The keys that a call to `/v1/responses` reached: none where the gateway refuses it. */
  const reached = async (client: OpenAI, body: object) => {
    await gateway.simulator.clearCalls();
    const asking = client.responses.create({
      model: "m",
      input: "hi",
      max_output_tokens: 5,
      ...body,
    });
    await asking.catch((error: unknown) => {
      if (!(error instanceof OpenAI.APIError)) throw error;
    });
    const calls = (await gateway.simulator.calls()).filter(({ path }) => path === "/v1/responses");
    return [...new Set(calls.map(({ headers }) => headers.authorization))];
  };
  const behave = (script: Parameters<typeof gateway.simulator.script>[1]) =>
    Promise.all(keys.map((key) => gateway.simulator.script(key, script)));
  /** Every container was paid for so much longer ago. */
  const elapse = (minutes: number) => {
    using database = new DatabaseSync(readSqliteFile(gateway.dataDir), { timeout: 5_000 });
    database.exec(
      `update provider_states set created_at = created_at - ${minutes * 60_000} where kind = 'container'`,
    );
  };
  const message = (content: string) => ({
    type: "message" as const,
    role: "user" as const,
    content,
  });
  const upload = async (client: OpenAI) =>
    (
      await client.files.create({
        file: await toFile(Buffer.from("notes"), "n.txt"),
        purpose: "assistants",
      })
    ).id;

  test("a conversation is made, filled, used by a call of any key of its user, and deleted", async () => {
    const made = await ann.conversations.create({
      items: [message("hello")],
      metadata: { topic: "a" },
    });
    const { id } = made;
    expect(made).toMatchObject({ object: "conversation", metadata: { topic: "a" } });
    const added = await annsOther.conversations.items.create(id, { items: [message("more")] });
    expect(added.data).toHaveLength(1);
    const listed = await ann.conversations.items.list(id);
    expect(listed.data).toHaveLength(2);
    const item = String(added.data[0]?.id);
    expect(await ann.conversations.items.retrieve(item, { conversation_id: id })).toMatchObject({
      id: item,
    });
    expect(await ann.conversations.update(id, { metadata: { topic: "b" } })).toMatchObject({
      metadata: { topic: "b" },
    });
    expect(await reached(annsOther, { conversation: id })).toHaveLength(1);
    expect(await reached(bob, { conversation: id })).toEqual([]);
    await ann.conversations.items.delete(item, { conversation_id: id });
    expect(await ann.conversations.delete(id)).toMatchObject({ id, deleted: true });
    expect(await failure(() => ann.conversations.retrieve(id))).toMatchObject({ status: 404 });
    expect(await reached(ann, { conversation: id })).toEqual([]);
  });

  test("what is put into a conversation is held for by the calls that name it", async () => {
    const { id } = await ann.conversations.create({ items: [message("word ".repeat(2_000))] });
    const states =
      "select context_tokens from provider_states where kind = 'conversation' order by created_at desc";
    const [before] = await gateway.rows<{ context_tokens: number }>(`${states} limit 1`);
    expect(Number(before?.context_tokens)).toBeGreaterThan(2_000);
    await ann.conversations.items.create(id, { items: [message("word ".repeat(2_000))] });
    const [after] = await gateway.rows<{ context_tokens: number }>(`${states} limit 1`);
    expect(Number(after?.context_tokens)).toBeGreaterThan(2 * 2_000);
  });

  test("a vector store is at a channel that bears its costs, with files of the same account, and is searched there", async () => {
    const store = await ann.vectorStores.create({ name: "notes" });
    await gateway.simulator.clearCalls();
    // The upload follows the vector store.
    const file = await upload(ann);
    expect(await ann.vectorStores.files.create(store.id, { file_id: file })).toMatchObject({
      id: file,
    });
    expect((await ann.vectorStores.files.list(store.id)).data.map(({ id }) => id)).toEqual([file]);
    expect((await ann.vectorStores.search(store.id, { query: "what" })).data).toEqual([]);
    expect(await ann.vectorStores.fileBatches.create(store.id, { file_ids: [file] })).toMatchObject(
      { id: "vsfb_1" },
    );
    const tools = [{ type: "file_search" as const, vector_store_ids: [store.id] }];
    const usedKeys = (await gateway.simulator.calls()).map(({ headers }) => headers.authorization);
    expect(new Set(usedKeys)).toEqual(new Set([`Bearer ${keys[1]}`]));
    expect(await reached(annsOther, { tools })).toEqual([`Bearer ${keys[1]}`]);
    expect(await reached(bob, { tools })).toEqual([]);
    expect((await ann.vectorStores.list()).data.map(({ id }) => id)).toEqual([store.id]);
    expect((await bob.vectorStores.list()).data).toEqual([]);
    expect(await ann.vectorStores.delete(store.id)).toMatchObject({ deleted: true });
    expect((await ann.vectorStores.list()).data).toEqual([]);
  });

  test("a container is made with files of its user and read as bytes, never as a page", async () => {
    // Beside the file: a container cannot be made where the file is not.
    await bob.vectorStores.create({ name: "first" });
    const file = await upload(bob);
    const container = await bob.containers.create({ name: "work", file_ids: [file] });
    const content = await bob.containers.files.content.retrieve(file, {
      container_id: container.id,
    });
    expect([content.headers.get("content-type"), await content.text()]).toEqual([
      "application/octet-stream",
      "notes",
    ]);
    expect((await bob.containers.list()).data.map(({ id }) => id)).toEqual([container.id]);
    await bob.containers.delete(container.id);
  });

  test("a container is held for and charged at its creation, and later for the time in which its files were used", {
    tags: ["S2-02", "S2-04"],
  }, async () => {
    const gigabyte = 15_000;
    const cleo = await gateway.given.user("cleo", { quota: 12 * gigabyte });
    const { key } = await cleo.token();
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key, maxRetries: 0 });
    await gateway.simulator.clearCalls();
    const refused = await failure(() =>
      client.containers.create({ name: "dear", memory_limit: "16g" }),
    );
    expect(refused).toMatchObject({ status: 403, code: "insufficient_user_quota" });
    expect(await asked("/v1/containers")).toEqual([]);
    const container = await client.containers.create({ name: "work", memory_limit: "4g" });
    expect(await gateway.lastLog()).toMatchObject({
      quota: 4 * gigabyte,
      model_name: "container",
      username: "cleo",
    });
    await client.containers.files.list(container.id);
    expect(await gateway.lastLog()).toMatchObject({ quota: 4 * gigabyte });
    expect((await gateway.settled()).held).toBe(0);
    // A provider that refuses makes none.
    await failure(() =>
      client.containers.create({ name: "unlucky", memory_limit: "4g", file_ids: ["file-none"] }),
    );
    expect((await gateway.settled()).held).toBe(0);
    if (store !== "sqlite") return;
    elapse(30);
    await client.containers.files.list(container.id);
    expect(await gateway.lastLog()).toMatchObject({ quota: 8 * gigabyte, model_name: "container" });
    await client.containers.files.list(container.id);
    elapse(60);
    expect(await failure(() => client.containers.files.list(container.id))).toMatchObject({
      status: 403,
    });
    expect(await failure(() => client.containers.files.list(container.id))).toMatchObject({
      status: 403,
    });
  });

  // The other rows are variants, and no variant carries a promise.
  if (store === "sqlite")
    test("of two calls that use a container at once, one pays for its time", {
      tags: ["S2-02"],
    }, async () => {
      const emil = await gateway.given.user("emil", { quota: 1_000_000 });
      const { key: apiKey } = await emil.token();
      const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey, maxRetries: 0 });
      const { id } = await client.containers.create({ name: "shared" });
      elapse(30);
      const before = await gateway.settled();
      await behave({ slowMs: 300 });
      await Promise.all([client.containers.files.list(id), client.containers.files.list(id)]);
      await behave("ok");
      const after = await gateway.settled();
      expect([after.charged - before.charged, after.held]).toEqual([2 * 15_000, 0]);
    });

  test("a container whose provider's answer is lost is charged: the provider may have made it", {
    tags: ["S2-07"],
  }, async () => {
    const dora = await gateway.given.user("dora", { quota: 1_000_000 });
    const { key: apiKey } = await dora.token();
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey, maxRetries: 0 });
    const creation = () =>
      failure(() => client.containers.create({ name: "lost", memory_limit: "4g" }));
    const container = await client.containers.create({ name: "found" });
    for (const lost of [{ drop: true }, { truncateJson: true }, { html: true }]) {
      await behave(lost);
      expect(await creation()).toMatchObject({ status: 502 });
      expect(await gateway.lastLog()).toMatchObject({
        quota: 60_000,
        outcome: "cut",
        username: "dora",
      });
    }
    const before = await gateway.settled();
    await behave({ fail: { status: 500 } });
    expect(await creation()).toMatchObject({ status: 500 });
    await behave({ fail: { status: 404 } });
    expect(await failure(() => client.containers.files.list(container.id))).toMatchObject({
      status: 404,
    });
    await behave("ok");
    expect(await gateway.settled()).toEqual({ ...before, rows: before.rows + 1 });
  });

  test("requests about objects are limited like counts of tokens", {
    tags: ["S2-20"],
  }, async () => {
    const finn = await gateway.given.user("finn", { quota: 1_000_000 });
    const { key: apiKey } = await finn.token({ rpm_limit: 1 });
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey, maxRetries: 0 });
    await client.conversations.create({});
    expect(await failure(() => client.conversations.create({}))).toMatchObject({ status: 429 });
  });

  test("an object of another user answers like one that never existed, on every address of it", {
    tags: ["S2-12"],
  }, async () => {
    const [conversation, vectorStore, container, file] = [
      await ann.conversations.create({}),
      await ann.vectorStores.create({}),
      await ann.containers.create({ name: "c" }),
      await upload(ann),
    ];
    for (const [path, id, below] of [
      [
        "conversations",
        conversation.id,
        ["GET ", "POST ", "DELETE ", "GET /items", "POST /items", "GET /items/msg_1"],
      ],
      [
        ...["vector_stores", vectorStore.id],
        [
          "GET ",
          "POST ",
          "DELETE ",
          "POST /search",
          "POST /files",
          "GET /files",
          "GET /file_batches/vsfb_1",
        ],
      ],
      ["containers", container.id, ["GET ", "DELETE ", "GET /files", `GET /files/${file}/content`]],
    ] as const)
      for (const one of below) {
        const [method = "", rest = ""] = one.split(" ");
        const sent = async (name: string) => {
          const call = { method: method.toLowerCase() as "get", path: `/${path}/${name}${rest}` };
          return failure(() => bob.request({ ...call, ...(method === "POST" && { body: {} }) }));
        };
        await gateway.simulator.clearCalls();
        const unknown = await sent("never_made");
        expect([unknown.status, await sent(id)], `${method} ${path}${rest}`).toEqual([
          404,
          unknown,
        ]);
        expect(await asked("/v1/")).toEqual([]);
      }
    for (const call of [
      () => bob.vectorStores.create({ file_ids: [file] }),
      () => bob.containers.create({ name: "c", file_ids: [file] }),
      () =>
        bob.conversations.create({
          items: [{ type: "item_reference", id: "msg_simitem1" } as never],
        }),
      () =>
        bob.conversations.create({
          items: [
            { type: "message", role: "user", content: [{ type: "input_file", file_id: file }] },
          ],
        }),
    ])
      expect(await failure(call)).toMatchObject({ status: 404, code: "stored_object_not_found" });
  });

  test("members that are not known are refused by their name, and nothing is sent", async () => {
    await gateway.simulator.clearCalls();
    for (const [path, body, words] of [
      [
        "/containers",
        { name: "c", network_policy: { type: "allowlist", allowed_domains: ["x"] } },
        "network_policy",
      ],
      ["/containers", { name: "c", skills: [] }, "skills"],
      ["/vector_stores", { model: "m" }, "model"],
      ["/conversations", [], "must be an object"],
      [
        "/conversations",
        { items: Array.from({ length: 501 }, (_, n) => ({ file_id: `file-${n}` })) },
        "at most 500",
      ],
    ] as const)
      expect(await failure(() => ann.post(path, { body }))).toMatchObject({
        status: 400,
        message: expect.stringContaining(words),
      });
    expect(await asked("/v1/")).toEqual([]);
  });
});
