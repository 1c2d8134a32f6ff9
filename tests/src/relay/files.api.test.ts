// Files that a user stores at a provider: whose they are, where calls go that name them, and what
// of an upload is passed on.
import { connect } from "node:net";
import OpenAI, { toFile } from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { databaseKinds } from "../harness/gateway-database.ts";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import { openAiFailure as failure } from "../support/openai-failure.ts";
import { describeVariants } from "../support/variants.ts";
import { type CannedProvider, startCannedProvider, whole } from "./canned-provider.ts";

describeVariants(databaseKinds)("files on %s", (store) => {
  let gateway: TestGateway;
  let provider: CannedProvider;
  let ann: OpenAI;
  let bob: OpenAI;
  let annKey: string;

  beforeAll(async () => {
    provider = await startCannedProvider();
    gateway = await startTestGateway({ store, upstreams: [provider.url] });
    await gateway.given.channel({ key: "sim-ok", models: "m,other" });
    await gateway.given.channel({
      key: "key-of-canned",
      base_url: provider.url,
      models: "m",
      priority: -1,
    });
    const [first, second] = await Promise.all([
      gateway.given.user("ann", { quota: 100_000_000 }),
      gateway.given.user("bob", { quota: 100_000_000 }),
    ]);
    const client = async (key: string) =>
      new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key, maxRetries: 0 });
    annKey = (await first.token()).key;
    ann = await client(annKey);
    bob = await client((await second.token()).key);
  });
  afterAll(async () => {
    expect(await gateway.audit()).toBe("The books agree.");
    await gateway.close();
    await provider.close();
  });

  const upload = async (client: OpenAI, content: string | Buffer, name = "notes.txt") =>
    client.files.create({ file: await toFile(Buffer.from(content), name), purpose: "user_data" });

  test("the official library stores, lists, reads and deletes a file, whose bytes are those that were sent", async () => {
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7919) % 256));
    const file = await upload(ann, bytes, "Übersicht – März.bin");
    expect(file).toMatchObject({ object: "file", bytes: bytes.length, purpose: "user_data" });
    expect(file.filename).toBe("Übersicht – März.bin");
    expect(await ann.files.retrieve(file.id)).toEqual(file);
    const content = await ann.files.content(file.id);
    expect(Buffer.from(await content.arrayBuffer()).equals(bytes)).toBe(true);
    // A page that a user stored must not become one of this site.
    expect(content.headers.get("content-type")).toBe("application/octet-stream");
    const second = await upload(ann, "two");
    const listed = await ann.files.list({ limit: 1 });
    expect(listed.data.map(({ id }) => id)).toEqual([second.id]);
    const all = [];
    for await (const one of ann.files.list({ limit: 1 })) all.push(one.id);
    expect(all).toEqual([second.id, file.id]);
    expect(await ann.files.delete(file.id)).toMatchObject({ id: file.id, deleted: true });
    expect((await ann.files.list()).data.map(({ id }) => id)).toEqual([second.id]);
    expect(await failure(() => ann.files.retrieve(file.id))).toMatchObject({ status: 404 });
  });

  test("a file of another user answers like one that never existed, and is in no list of others", {
    tags: ["S2-12"],
  }, async () => {
    const { id } = await upload(ann, "of ann alone");
    const unknown = await failure(() => bob.files.retrieve("file-that-never-was"));
    for (const call of ["retrieve", "content", "delete"] as const)
      expect(await failure(() => bob.files[call](id))).toEqual(unknown);
    expect((await bob.files.list()).data).toEqual([]);
    expect(await failure(() => bob.files.list({ after: id }))).toMatchObject({ status: 400 });
    const named = {
      role: "user" as const,
      content: [{ type: "file" as const, file: { file_id: id } }],
    };
    expect(
      await failure(() => bob.chat.completions.create({ model: "m", messages: [named] })),
    ).toMatchObject({
      status: 404,
    });
    expect(await (await ann.files.content(id)).text()).toBe("of ann alone");
  });

  test("a call that names a file goes to the channel and key that keep it", {
    tags: ["S2-12"],
  }, async () => {
    const { id } = await upload(ann, "for a call");
    const named = {
      role: "user" as const,
      content: [{ type: "file" as const, file: { file_id: id } }],
    };
    for (let round = 0; round < 4; round += 1) {
      await ann.chat.completions.create({ model: "m", messages: [named], max_tokens: 12 });
      await gateway.settled();
      expect((await gateway.lastLog()).channel_name).toBe("channel 1");
    }
    expect(provider.requests).toEqual([]);
  });

  test("an upload that is no form, has no purpose, a purpose that is not offered, two files or no end is refused", async () => {
    const send = async (body: FormData | string) => {
      const headers = { authorization: `Bearer ${annKey}` };
      const response = await fetch(`${gateway.url}/v1/files`, { method: "POST", headers, body });
      const { error } = (await response.json()) as {
        error: { code: string; param: string | null };
      };
      return [response.status, error.code, error.param];
    };
    const form = (...fields: [name: string, value: string | Blob][]) => {
      const made = new FormData();
      for (const [name, value] of fields) made.append(name, value);
      return made;
    };
    const file = new File(["x"], "x.txt");
    const before = (await ann.files.list()).data.length;
    expect(await send("plain")).toEqual([400, "invalid_multipart_request", null]);
    for (const [body, param] of [
      [form(["file", file]), "purpose"],
      [form(["purpose", "user_data"]), "file"],
      [form(["file", file], ["purpose", "fine-tune"]), "purpose"],
      [form(["purpose", "batch_output"], ["file", file]), "purpose"],
      [form(["purpose", "user_data"], ["file", file], ["file", file]), "file"],
      [form(["purpose", "user_data"], ["file", "no file"]), "file"],
      [form(["purpose", "user_data"], ["model", "m"], ["file", file]), "model"],
      [
        form(["purpose", "user_data"], ["expires_after[seconds]", "1"], ["file", file]),
        "expires_after[seconds]",
      ],
    ] as const)
      expect(await send(body)).toEqual([400, "invalid_multipart_request", param]);
    expect((await ann.files.list()).data).toHaveLength(before);
  });

  test("a client that leaves in the middle of an upload leaves no file, and a form without an end is refused", async () => {
    const before = (await ann.files.list()).data.length;
    const { hostname, port } = new URL(gateway.url);
    const part = (name: string, more: string) =>
      `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`;
    const begun = `${part("purpose", "")}user_data\r\n${part("file", '; filename="a"')}half of`;
    const head = (length: number) =>
      `POST /v1/files HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${annKey}\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: ${length}\r\nconnection: close\r\n\r\n`;
    const answered = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), hostname, () =>
        socket.write(head(begun.length) + begun),
      );
      let got = "";
      socket.on("data", (data) => {
        got += String(data);
      });
      socket.on("close", () => resolve(got));
    });
    expect(answered).toMatch(/^HTTP\/1\.1 400 /);
    expect(answered).toContain("ends before its last boundary");
    await new Promise<void>((resolve) => {
      const socket = connect(Number(port), hostname, () => {
        socket.write(head(begun.length + 1_000) + begun, () => socket.destroy());
      });
      socket.on("close", () => resolve());
    });
    expect((await ann.files.list()).data).toHaveLength(before);
  });

  test("a provider's answer without an id, and an id that it gave before, are no files", async () => {
    const root = await gateway.given.token();
    const channels = await gateway.rows<{ id: number }>(
      "select id from channels where name = 'channel 2'",
    );
    const pinned = new OpenAI({
      baseURL: `${gateway.url}/v1`,
      apiKey: `${root.key}-${channels[0]?.id}`,
      maxRetries: 0,
    });
    provider.answer = whole({ object: "file" });
    expect(await failure(() => upload(pinned, "x"))).toMatchObject({ status: 502 });
    provider.answer = whole({ object: "file", id: "../../v1/models" });
    expect(await failure(() => upload(pinned, "x"))).toMatchObject({ status: 502 });
    provider.answer = whole({ object: "file", id: "file-twice", expires_at: 1e300 });
    expect(await upload(pinned, "x")).toMatchObject({ id: "file-twice", expires_at: null });
    expect(await failure(() => upload(pinned, "x"))).toMatchObject({ status: 502 });
    provider.answer = (response) =>
      void response.writeHead(401).end('{"error":{"message":"wrong key key-of-canned"}}');
    const refused = await failure(() => upload(pinned, "x"));
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(refused.message).not.toContain("key-of-canned");
  });
});
