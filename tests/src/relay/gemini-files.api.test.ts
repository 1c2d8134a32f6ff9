// Gemini's files: how they are uploaded in pieces, whose they are, and where calls that name them
// go.
import { type File as GeminiFile, GoogleGenAI } from "@google/genai";
import { tokenStatus, updateTokenStatus } from "@tollgate/contract/accounts/tokens.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { databaseKinds } from "../harness/gateway-database.ts";
import { startTestGateway, type TestGateway, type TestUser } from "../harness/test-gateway.ts";
import { describeVariants } from "../support/variants.ts";

const google = "https://generativelanguage.googleapis.com";
const mebibyte = 1024 ** 2;

describeVariants(databaseKinds)("Gemini's files on %s", (store) => {
  let gateway: TestGateway;
  let ann: GoogleGenAI;
  let bob: GoogleGenAI;
  let annKey: string;
  let bobKey: string;
  let bobs: TestUser;
  let bobsToken: number;
  const keys = ["sim-as-files-one", "sim-as-files-two"];

  beforeAll(async () => {
    gateway = await startTestGateway({ store });
    for (const key of keys)
      await gateway.given.channel({
        key,
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
    annKey = (await first.token()).key;
    ({ key: bobKey, id: bobsToken } = await second.token());
    bobs = second;
    [ann, bob] = [client(annKey), client(bobKey)];
  });
  afterAll(async () => {
    expect(await gateway.audit()).toBe("The books agree.");
    await gateway.close();
  });

  const statusOf = (call: Promise<unknown>) =>
    call.then(
      () => 200,
      (error: { status?: number }) => error.status,
    );
  const upload = (
    client: GoogleGenAI,
    bytes: Uint8Array<ArrayBuffer>,
    displayName = "notes",
  ): Promise<GeminiFile> =>
    client.files.upload({
      file: new Blob([bytes]),
      config: { mimeType: "text/plain", displayName },
    });
  const text = (words: string) => new Uint8Array(Buffer.from(words));
  const part = (fileUri: string, words = "what is this?") => ({
    role: "user",
    parts: [{ text: words }, { fileData: { fileUri, mimeType: "text/plain" } }],
  });
  const ask = (client: GoogleGenAI, uri: string, words?: string) =>
    client.models.generateContent({ model: "gemini-m", contents: [part(uri, words)] });
  const keysUsed = async () =>
    (await gateway.simulator.calls()).map(({ headers }) => headers["x-goog-api-key"]);
  const start = (
    headers: Record<string, string> = {},
    key = annKey,
    body: unknown = { file: {} },
  ) =>
    fetch(`${gateway.url}/upload/v1beta/files`, {
      method: "POST",
      headers: {
        "x-goog-api-key": key,
        "x-goog-upload-protocol": "resumable",
        "x-goog-upload-command": "start",
        "x-goog-upload-header-content-length": "6",
        "x-goog-upload-header-content-type": "text/plain",
        ...headers,
      },
      body: JSON.stringify(body),
    });
  const piece = (address: string, command: string, offset = 0, body = "") =>
    fetch(address, {
      method: "POST",
      headers: { "x-goog-upload-command": command, "x-goog-upload-offset": String(offset) },
      body,
    });

  test("the official library uploads a file in pieces, reads, names, lists and deletes it", async () => {
    const bytes = new Uint8Array(17 * mebibyte).map((_, index) => (index * 7919) % 256);
    const file = await upload(ann, bytes, "Übersicht");
    const { name = "", uri = "" } = file;
    expect(file).toMatchObject({
      displayName: "Übersicht",
      mimeType: "text/plain",
      sizeBytes: String(bytes.length),
    });
    expect(uri).toBe(`${google}/v1beta/${name}`);
    const digest = await crypto.subtle.digest("SHA-256", bytes);
    expect(file.sha256Hash).toBe(Buffer.from(digest).toString("base64"));
    expect(await ann.files.get({ name })).toMatchObject({ name, uri });
    const second = await upload(ann, text("second"));
    const listed = [];
    for await (const one of await ann.files.list({ config: { pageSize: 1 } }))
      listed.push(one.name);
    expect(listed).toEqual([second.name, name]);
    expect(await statusOf(ann.files.delete({ name }))).toBe(200);
    expect(await statusOf(ann.files.get({ name }))).toBe(404);
  });

  test("a call that names a file goes to the account that keeps it, in any format", async () => {
    const { uri = "" } = await upload(ann, text("story"));
    const home = (await keysUsed()).at(-1);
    expect(keys).toContain(home);
    await gateway.simulator.clearCalls();
    // Each begins a conversation of its own, which no other rule keeps at one account.
    for (let call = 0; call < 8; call += 1)
      expect(await statusOf(ask(ann, uri, `question ${call}`))).toBe(200);
    const chat = (key: string) =>
      fetch(`${gateway.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({
          model: "gemini-m",
          messages: [{ role: "user", content: [{ type: "file", file: { file_data: uri } }] }],
        }),
      }).then(({ status }) => status);
    expect(await chat(annKey)).toBe(200);
    expect(await keysUsed()).toEqual(Array(9).fill(home));
    expect(await chat(bobKey)).toBe(404);
    const cache = await ann.caches.create({ model: "gemini-m", config: { contents: [part(uri)] } });
    expect((await keysUsed()).at(-1)).toBe(home);
    expect(cache.name).toMatch(/^cachedContents\//);
  });

  test("a file of another user answers like one that never existed", {
    tags: ["S2-12"],
  }, async () => {
    const { name = "", uri = "" } = await upload(ann, text("secret"));
    await gateway.simulator.clearCalls();
    for (const [named, address] of [
      [name, uri],
      ["files/never", `${google}/v1beta/files/never`],
    ] as const)
      for (const act of [
        () => bob.files.get({ name: named }),
        () => bob.files.delete({ name: named }),
        () => ask(bob, address),
        () => ask(bob, address.replace("v1beta", "v1")),
        () => bob.caches.create({ model: "gemini-m", config: { contents: [part(address)] } }),
      ])
        expect(await statusOf(act()), named).toBe(404);
    const listed = [];
    for await (const one of await bob.files.list()) listed.push(one.name);
    expect([listed, await gateway.simulator.calls()]).toEqual([[], []]);
  });

  test("the address of an upload is the gateway's, and tells nothing of the provider's", async () => {
    const started = await start();
    const address = started.headers.get("x-goog-upload-url") ?? "";
    expect(address.startsWith(`${gateway.url}/upload/v1beta/files?upload_id=`)).toBe(true);
    expect(JSON.stringify([...started.headers])).not.toMatch(/provider-secret|googleapis/);
    const stored = await gateway.rows<{ address_sealed: string }>("select * from provider_uploads");
    expect(JSON.stringify(stored)).not.toContain("provider-secret");
    expect(JSON.stringify(stored)).not.toContain(
      new URL(address).searchParams.get("upload_id") ?? "",
    );
    // Pieces come without a key: Google's Python library sends none.
    const first = await piece(address, "upload", 0, "abc");
    expect([first.status, first.headers.get("x-goog-upload-status")]).toEqual([200, "active"]);
    const asked = await piece(address, "query");
    expect(asked.headers.get("x-goog-upload-size-received")).toBe("3");
    const beyond = await piece(address, "upload, finalize", 3, "more than was announced");
    expect([beyond.status, await beyond.text()]).toEqual([
      400,
      expect.stringContaining("announced with 6 bytes"),
    ]);
    const last = await piece(address, "upload, finalize", 3, "def");
    expect([last.status, last.headers.get("x-goog-upload-status")]).toEqual([200, "final"]);
    const { file } = (await last.json()) as { file: GeminiFile };
    expect(await ann.files.get({ name: file.name ?? "" })).toMatchObject({ sizeBytes: "6" });
    expect((await piece(address, "query")).status).toBe(404);
    expect(
      (await piece(address.replace(/upload_id=[^&]+/, "upload_id=guessed"), "query")).status,
    ).toBe(404);
  });

  test("what an upload may not be is refused before the provider hears of it", async () => {
    await gateway.simulator.clearCalls();
    const refusals = [
      await start({ "x-goog-upload-protocol": "multipart" }),
      await start({ "x-goog-upload-command": "upload" }),
      await start({ "x-goog-upload-header-content-length": "-1" }),
      await start({ "x-goog-upload-header-content-length": String(2 * 1024 ** 3 + 1) }),
      await start({ "x-goog-upload-header-content-type": "not a type" }),
      await start({}, annKey, { file: { name: "files/mine" } }),
      await start({}, annKey, { file: { source: "x" } }),
      await start({}, "sk-unknown"),
    ];
    expect(refusals.map(({ status }) => status)).toEqual([400, 400, 400, 413, 400, 400, 400, 401]);
    expect(await gateway.simulator.calls()).toEqual([]);
    const address = (await start()).headers.get("x-goog-upload-url") ?? "";
    await gateway.simulator.clearCalls();
    expect((await piece(address, "erase")).status).toBe(400);
    expect(await gateway.simulator.calls()).toEqual([]);
    expect((await piece(address, "cancel")).headers.get("x-goog-upload-status")).toBe("cancelled");
    expect((await piece(address, "query")).status).toBe(404);
  });

  test("an upload ends with the key that began it", async () => {
    const address = (await start({}, bobKey)).headers.get("x-goog-upload-url") ?? "";
    const body = { id: bobsToken, status: tokenStatus.disabled };
    await bobs.call(updateTokenStatus, { query: { status_only: "1" }, body });
    await gateway.simulator.clearCalls();
    expect((await piece(address, "upload, finalize", 0, "abcdef")).status).toBe(401);
    expect(await gateway.simulator.calls()).toEqual([]);
  });
});
