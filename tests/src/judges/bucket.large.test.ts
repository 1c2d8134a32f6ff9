// Contents of calls in an S3 server of another maker: it accepts each signature, and has what the
// gateway says that it has.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CallBody } from "@tollgate/contract/call-bodies.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ChildProgram, startProgram } from "../harness/child-process.ts";
import { eventually } from "../harness/eventually.ts";
import { freePort } from "../harness/free-port.ts";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import { readPrometheusText } from "../support/prometheus-text.ts";
import { buildBucketServer, goAvailable } from "./judge-programs.ts";

const possible = goAvailable();
const reason = possible.available ? "" : ` (${possible.reason})`;
/** The first build on a machine takes minutes. */
const buildTimeoutMs = 1_800_000;
const region = "eu-central-1";
const access = "AKIDEXAMPLE";
const secret = "a-secret/of+the-bucket";
const bucket = "contents";
const ask = (content: string, more = {}) => ({ messages: [{ role: "user", content }], ...more });

describe.skipIf(!possible.available)(`an S3 server of another maker${reason}`, () => {
  let folder: string;
  let server: ChildProgram | undefined;
  let gateway: TestGateway;
  let port: number;
  let metrics: string;
  let program: string;

  async function startServer(): Promise<void> {
    server = startProgram({
      file: program,
      args: [
        "--access",
        access,
        "--secret",
        secret,
        "--region",
        region,
        "--port",
        `127.0.0.1:${port}`,
        "posix",
        folder,
      ],
      env: { ...process.env },
    });
    // Any reply will do: nothing of it is public.
    await eventually(async () =>
      expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBeGreaterThan(0),
    );
  }

  beforeAll(async () => {
    program = await buildBucketServer();
    folder = mkdtempSync(join(tmpdir(), "tollgate-bucket-"));
    mkdirSync(join(folder, bucket));
    port = await freePort();
    await startServer();
    const metricsPort = await freePort();
    metrics = `http://127.0.0.1:${metricsPort}/metrics`;
    gateway = await startTestGateway({
      env: {
        CALL_BODIES: `http://127.0.0.1:${port}/${bucket}/of-a-test`,
        CALL_BODIES_REGION: region,
        CALL_BODIES_ACCESS_KEY: access,
        CALL_BODIES_SECRET_KEY: secret,
        METRICS_PORT: String(metricsPort),
        API_RATE_LIMIT: "0",
      },
    });
    await gateway.given.channel({ key: "sim-ok" });
  }, buildTimeoutMs);
  afterAll(async () => {
    await gateway?.close();
    await server?.stop();
    if (folder) rmSync(folder, { recursive: true });
  });

  const objects = (): string[] =>
    readdirSync(join(folder, bucket), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  const read = (id: number) => gateway.api<CallBody>("GET", `/api/trace/log/${id}/body`);
  const counted = async (): Promise<Record<string, number>> => {
    const { samples } = readPrometheusText(await (await fetch(metrics)).text());
    const found = samples.filter(({ name }) => name === "tollgate_call_bodies_total");
    return Object.fromEntries(found.map(({ labels, value }) => [labels.result ?? "", value]));
  };

  test("takes what is put, gives it back, and has nothing that can be read", async () => {
    const { key } = await gateway.given.token({ bodies: "full" });
    const ids: number[] = [];
    for (const content of ["short", "ä€𝄞 ".repeat(100_000), "word ".repeat(1_000_000)]) {
      expect((await gateway.chat(key, ask(content))).status).toBe(200);
      const { id } = await gateway.lastLog();
      ids.push(id);
      const body = await eventually(() => read(id));
      expect(body.request.text).toContain(content.slice(0, 1_000));
    }
    const { raw } = await gateway.stream(key, ask("a stream"));
    const { id } = await gateway.lastLog();
    expect((await eventually(() => read(id))).answer.text).toBe(raw);
    expect(objects()).toHaveLength(ids.length + 1);
    for (const file of objects()) {
      expect(file).toMatch(/\/of-a-test\/bodies\/\d{4}\/\d\d\/\d\d\/\d+$/);
      expect(readFileSync(file, "latin1")).not.toMatch(/messages|short|word word/);
    }
  });

  test("gives up an object when its contents are deleted, and that of a key that is", async () => {
    const { id: tokenId, key } = await gateway.given.token({ bodies: "full" });
    const before = objects().length;
    await gateway.chat(key, ask("by itself"));
    const { id } = await gateway.lastLog();
    await eventually(() => read(id));
    await gateway.api("DELETE", `/api/trace/log/${id}/body`);
    await eventually(() => expect(objects()).toHaveLength(before));
    await gateway.chat(key, ask("with its key"));
    const { id: second } = await gateway.lastLog();
    await eventually(() => read(second));
    await gateway.api("DELETE", `/api/token/${tokenId}`);
    await expect(read(second)).rejects.toThrow("Nothing is kept");
  });

  test("says that an object is gone, and the reader is told that alone", async () => {
    const { key } = await gateway.given.token({ bodies: "full" });
    const before = new Set(objects());
    await gateway.chat(key, ask("removed behind the gateway's back"));
    const { id } = await gateway.lastLog();
    await eventually(() => read(id));
    for (const file of objects()) if (!before.has(file)) rmSync(file);
    await expect(read(id)).rejects.toThrow();
    expect((await gateway.chat(key, ask("and the next"))).status).toBe(200);
  });

  test("is stopped and started again: calls go on, losses are counted, and what was kept is there", async () => {
    const { key } = await gateway.given.token({ bodies: "full" });
    await gateway.chat(key, ask("before the stop"));
    const { id } = await gateway.lastLog();
    await eventually(() => read(id));
    const { lost = 0 } = await counted();
    await server?.stop();
    expect((await gateway.chat(key, ask("while it is away"))).status).toBe(200);
    await expect(read(id)).rejects.toThrow("does not answer");
    await eventually(async () => expect((await counted()).lost).toBe(lost + 1));
    await startServer();
    expect((await read(id)).request.text).toContain("before the stop");
    expect(await gateway.books()).toMatchObject({ held: 0, reservations: 0 });
  });
});
