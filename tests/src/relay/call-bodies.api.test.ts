// Contents of calls, kept for keys that ask for it: what is stored, what it costs the call, and
// that it never stands in its way.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CallBody } from "@tollgate/contract/call-bodies.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bucketKey, startBucketServer } from "../harness/bucket-server.ts";
import { eventually } from "../harness/eventually.ts";
import { freePort } from "../harness/free-port.ts";
import { ruleDatabaseKinds } from "../harness/gateway-database.ts";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import { readPrometheusText } from "../support/prometheus-text.ts";

const secret = "AKIAQZ3JX7LM2NB5VTRW";
const ask = (content: string, more = {}) => ({
  messages: [{ role: "user", content }],
  max_tokens: 12,
  ...more,
});

type KeptBody = CallBody & { created_at: number };

/** Every file below a folder. */
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

async function bodyOf(gateway: TestGateway, id: number): Promise<KeptBody> {
  return await eventually(
    async () => await gateway.api<KeptBody>("GET", `/api/trace/log/${id}/body`),
  );
}

describe.each(ruleDatabaseKinds)("contents of calls in a folder, on %s", (store) => {
  let gateway: TestGateway;
  let folder: string;
  let metrics: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tollgate-bodies-"));
    // A port of its own: the main port answers ten scrapes a minute, which a poll uses up before a
    // busy machine has counted.
    const port = await freePort();
    metrics = `http://127.0.0.1:${port}/metrics`;
    const env = { CALL_BODIES: folder, API_RATE_LIMIT: "0", METRICS_PORT: String(port) };
    gateway = await startTestGateway({ store, env });
    await gateway.given.channel({ key: "sim-ok" });
  });
  afterAll(async () => {
    await gateway.close();
    rmSync(folder, { recursive: true });
  });

  const kept = async (): Promise<Record<string, number>> => {
    const { samples } = readPrometheusText(await (await fetch(metrics)).text());
    const counted = samples.filter(({ name }) => name === "tollgate_call_bodies_total");
    return Object.fromEntries(counted.map(({ labels, value }) => [labels.result ?? "", value]));
  };

  test("a key that asks for nothing has nothing kept", async () => {
    const { key } = await gateway.given.token();
    await gateway.chat(key, ask("nothing of this"));
    const { id } = await gateway.lastLog();
    await expect(gateway.api("GET", `/api/trace/log/${id}/body`)).rejects.toThrow(
      "Nothing is kept",
    );
    expect(await gateway.api("GET", `/api/trace/log/${id}`)).not.toHaveProperty("body");
    expect(filesIn(folder)).toEqual([]);
  });

  test("a full key has question and answer, sealed on the disk", async () => {
    const { key } = await gateway.given.token({ bodies: "full" });
    const answer = await gateway.chat(key, ask(`my key is ${secret}`));
    expect(answer.status).toBe(200);
    const { id } = await gateway.lastLog();
    const body = await bodyOf(gateway, id);
    expect(body).toMatchObject({
      mode: "full",
      request: { is_cut: false },
      answer: { is_cut: false },
    });
    expect(JSON.parse(body.request.text)).toMatchObject({
      messages: [{ content: `my key is ${secret}` }],
    });
    expect(JSON.parse(body.answer.text)).toEqual(answer.body);
    expect(body.answer.type).toContain("application/json");
    const [file = ""] = filesIn(folder);
    expect(file).toMatch(/bodies\/\d{4}\/\d\d\/\d\d\/\d+$/);
    expect(readFileSync(file, "latin1")).not.toMatch(/messages|AKIA/);
    expect(await gateway.api("GET", `/api/trace/log/${id}`)).toMatchObject({
      body: { mode: "full" },
    });
  });

  test("a redacted key has them without credentials, in the gateway's notes and in the answer alike", async () => {
    const { key } = await gateway.given.token({ bodies: "redacted" });
    await gateway.chat(key, ask(`my key is ${secret}`));
    const body = await bodyOf(gateway, (await gateway.lastLog()).id);
    expect(JSON.stringify(body)).not.toContain(secret);
    expect(JSON.parse(body.request.text)).toMatchObject({
      messages: [{ content: "my key is [removed: an AWS access key]" }],
    });
  });

  test("a stream is kept as it was delivered, byte by byte", async () => {
    const { key } = await gateway.given.token({ bodies: "full" });
    const { raw } = await gateway.stream(key, ask("one two three"));
    const { answer } = await bodyOf(gateway, (await gateway.lastLog()).id);
    expect(answer).toEqual({ text: raw, type: "text/event-stream", is_cut: false });
  });

  test("a call that fails is kept with the error that the client got", async () => {
    await gateway.given.channel({ key: "sim-fail-503", models: "broken" });
    const { key } = await gateway.given.token({ bodies: "full" });
    const refused = await gateway.chat(key, { ...ask("hello"), model: "broken" });
    expect(refused.status).toBeGreaterThanOrEqual(500);
    const body = await bodyOf(gateway, (await gateway.lastLog()).id);
    expect(JSON.parse(body.answer.text)).toEqual(refused.body);
  });

  test("of a request that is longer than what is kept, the beginning is there, and the call is served", async () => {
    const { key } = await gateway.given.token({ bodies: "full" });
    const long = "word ".repeat(1_600_000);
    expect((await gateway.chat(key, ask(long))).status).toBe(200);
    const { request } = await bodyOf(gateway, (await gateway.lastLog()).id);
    expect(request.is_cut).toBe(true);
    expect(request.text).toHaveLength(6 * 1024 * 1024);
  });

  test("the response cache and the recording both get the answer", async () => {
    await gateway.api("PUT", "/api/option/", { key: "ResponseCacheEnabled", value: "true" });
    const { key } = await gateway.given.token({ bodies: "full", cache_seconds: 60 });
    const headers = { "x-tollgate-cache": "max-age=60" };
    const answers: string[] = [];
    for (const state of ["miss", "hit"]) {
      const response = await gateway.send(
        key,
        { model: "sim-model", ...ask("cached") },
        { headers },
      );
      expect(response.headers.get("x-tollgate-cache")).toBe(state);
      answers.push(await response.text());
      expect((await bodyOf(gateway, (await gateway.lastLog()).id)).answer.text).toBe(
        answers.at(-1),
      );
    }
    await gateway.api("PUT", "/api/option/", { key: "ResponseCacheEnabled", value: "false" });
  });

  test("what was kept is counted", async () => {
    await eventually(async () => expect(await kept()).toEqual({ kept: filesIn(folder).length }));
  });

  test("a key that is changed to keep nothing has nothing kept from then on", async () => {
    const before = filesIn(folder).length;
    const { id, key } = await gateway.given.token({ bodies: "full" });
    await gateway.api("PUT", "/api/token/", { id, bodies: null });
    await gateway.chat(key, ask("after the change"));
    await gateway.settled();
    await gateway.restart();
    expect(filesIn(folder)).toHaveLength(before);
  });

  test("a place that cannot be written to loses contents, and no call", {
    tags: ["large"],
  }, async () => {
    const { key } = await gateway.given.token({ bodies: "full" });
    const before = (await kept()).lost ?? 0;
    rmSync(join(folder, "bodies"), { recursive: true });
    // A file stands where the folder should be.
    writeFileSync(join(folder, "bodies"), "");
    expect((await gateway.chat(key, ask("hello"))).status).toBe(200);
    const { id } = await gateway.lastLog();
    await eventually(async () => expect((await kept()).lost).toBe(before + 1));
    await expect(gateway.api("GET", `/api/trace/log/${id}/body`)).rejects.toThrow(
      "Nothing is kept",
    );
    rmSync(join(folder, "bodies"));
    expect(await gateway.books()).toMatchObject({ held: 0, reservations: 0 });
  });
});

describe("contents of calls in a bucket", () => {
  let gateway: TestGateway;
  let bucket: Awaited<ReturnType<typeof startBucketServer>>;

  beforeAll(async () => {
    bucket = await startBucketServer();
    const env = {
      CALL_BODIES: `${bucket.url}/contents`,
      CALL_BODIES_REGION: bucketKey.region,
      CALL_BODIES_ACCESS_KEY: bucketKey.accessKey,
      CALL_BODIES_SECRET_KEY: bucketKey.secretKey,
      API_RATE_LIMIT: "0",
    };
    gateway = await startTestGateway({ env });
    await gateway.given.channel({ key: "sim-ok" });
  });
  afterAll(async () => {
    await gateway.close();
    await bucket.close();
  });

  test("are written with a signature, read back, and removed with their key", async () => {
    const { id: tokenId, key } = await gateway.given.token({ bodies: "full" });
    await gateway.chat(key, ask("in a bucket"));
    const { id } = await gateway.lastLog();
    expect(JSON.parse((await bodyOf(gateway, id)).request.text)).toMatchObject({
      messages: [{ content: "in a bucket" }],
    });
    expect([...bucket.objects.keys()]).toEqual([
      expect.stringMatching(/^\/contents\/bodies\/\d{4}\/\d\d\/\d\d\/\d+$/),
    ]);
    await gateway.api("DELETE", `/api/token/${tokenId}`);
    await expect(gateway.api("GET", `/api/trace/log/${id}/body`)).rejects.toThrow(
      "Nothing is kept",
    );
    expect(bucket.complaints).toEqual([]);
  });

  test("a bucket that is away says so to the reader, and delays no call", async () => {
    const { key } = await gateway.given.token({ bodies: "full" });
    await gateway.chat(key, ask("first"));
    const { id } = await gateway.lastLog();
    await bodyOf(gateway, id);
    bucket.failures.push(403);
    await expect(gateway.api("GET", `/api/trace/log/${id}/body`)).rejects.toThrow(
      "does not answer",
    );
    const release = bucket.hold();
    expect((await gateway.chat(key, ask("second"))).status).toBe(200);
    release();
  });
});

test("without a place, a key cannot ask for it", { tags: ["large"] }, async () => {
  const gateway = await startTestGateway();
  try {
    await expect(gateway.api("POST", "/api/token/", { name: "k", bodies: "full" })).rejects.toThrow(
      "CALL_BODIES",
    );
    expect(await gateway.api("GET", "/api/status")).toMatchObject({ keeps_bodies: false });
  } finally {
    await gateway.close();
  }
});
