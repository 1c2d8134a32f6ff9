// The OpenAPI document as programs use it: a public validator, a generator of clients, and the
// commands of the reference.
import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Validator } from "@seriousme/openapi-schema-validator";
import { apiExamples, readExampleCommand } from "@tollgate/contract/api/api-examples.ts";
import { clientOperations } from "@tollgate/contract/api/client-operations.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { repositoryDir } from "../../harness/repository-dir.ts";
import { startTestGateway, type TestGateway } from "../../harness/test-gateway.ts";

const run = promisify(execFile);
let gateway: TestGateway;
let folder: string;
let managementKey: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "generated-client-"));
  gateway = await startTestGateway({ store: "sqlite" });
  await gateway.given.channel({ key: "sim-ok", models: "gpt-5.6-terra" });
  const scopes = ["tokens:read", "tokens:write", "usage:read", "logs:read"];
  const body = { name: "program", scopes, lifetime_days: 1 };
  managementKey = (await gateway.api<{ key: string }>("POST", "/api/management_key/", body)).key;
}, 120_000);
afterAll(async () => {
  await gateway?.close();
  await rm(folder, { recursive: true, force: true });
});

interface OpenApiPaths {
  paths: Record<string, Record<string, { operationId: string }>>;
}
const readDocument = async () =>
  (await (await fetch(`${gateway.url}/api/openapi.json`)).json()) as OpenApiPaths;

test("a public validator finds the document valid, and each operation has a name of its own", async () => {
  const document = await readDocument();
  const names = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  expect(await new Validator().validate({ ...document })).toEqual({ valid: true });
});

test.each(apiExamples)("the command of the reference works: $title", async (example) => {
  const { stdout } = await run("bash", ["-c", readExampleCommand(example)], {
    env: {
      ...process.env,
      TOLLGATE_URL: gateway.url,
      TOLLGATE_KEY: managementKey,
      API_KEY: await keyOfExamples(),
    },
  });
  expect(stdout).toContain(example.reply);
});

let keyOfToken: string | undefined;
/** The token of the first example, whose key its reply showed; it has the limit of the second. */
async function keyOfExamples(): Promise<string> {
  const [token] = await gateway.api<{ key: string }[]>("GET", "/api/token/?external_id=ci");
  keyOfToken = token?.key ?? keyOfToken;
  return keyOfToken ?? "";
}

test.each(Object.values(clientOperations))(
  "$method $path is served, and for keys alone",
  async ({ method, path }) => {
    const address = path.replace(/\{\w+\}/g, "some-id");
    const response = await fetch(gateway.url + address, {
      method,
      ...(method === "POST" && { headers: { "content-type": "application/json" }, body: "{}" }),
    });
    expect([response.status, await response.text()]).toEqual([
      401,
      expect.stringContaining("No API key was given"),
    ]);
  },
);

/**
 * Compiled with the generated types: a document that describes something else than this program
 * needs does not compile.
 */
const program = `
import createClient from "openapi-fetch";
import type { paths } from "./schema.d.ts";

const { TOLLGATE_URL: baseUrl = "", TOLLGATE_KEY: key = "" } = process.env;
const client = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${key}\` } });

const made = await client.POST("/api/token/", { body: { name: "generated", unlimited_quota: true } });
if (made.data?.success !== true) throw new Error(made.data?.message ?? JSON.stringify(made.error));
const { id, key: secret } = made.data.data;

const limited = await client.PUT("/api/token/{id}/spending_limit", {
  params: { path: { id } },
  body: { amount: 500_000, window: "day" },
});
if (limited.data?.success !== true) throw new Error(limited.data?.message ?? JSON.stringify(limited.error));

const answer = await client.POST("/v1/chat/completions", {
  headers: { authorization: \`Bearer \${secret}\` },
  body: { model: "gpt-5.6-terra", messages: [{ role: "user", content: "hello" }] },
});
if (answer.data === undefined) throw new Error(JSON.stringify(answer.error));

let quota = 0;
for (let tries = 0; quota === 0 && tries < 100; tries += 1) {
  const used = await client.GET("/api/log/self/stat", { params: { query: { token_name: "generated" } } });
  if (used.data?.success !== true) throw new Error(used.data?.message ?? JSON.stringify(used.error));
  quota = used.data.data.quota;
  if (quota === 0) await new Promise((done) => setTimeout(done, 100));
}
console.log(JSON.stringify({ limit: limited.data.data?.amount, quota }));
`;

test("a generated client makes a token, sets its limit, and reads what it used", async () => {
  const modules = join(repositoryDir, "node_modules");
  await writeFile(join(folder, "openapi.json"), JSON.stringify(await readDocument()));
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  await writeFile(join(folder, "program.ts"), program);
  await symlink(modules, join(folder, "node_modules"));
  const generator = join(repositoryDir, "tests/node_modules/openapi-typescript/bin/cli.js");
  await run(process.execPath, [generator, "openapi.json", "-o", "schema.d.ts"], { cwd: folder });
  const strict = [
    "--strict",
    "--noEmit",
    "--skipLibCheck",
    "--allowImportingTsExtensions",
    "--types",
    "node",
  ];
  const target = ["--module", "nodenext", "--target", "esnext"];
  await run(join(modules, ".bin/tsc"), [...strict, ...target, "program.ts"], { cwd: folder });
  const { stdout } = await run(process.execPath, ["program.ts"], {
    cwd: folder,
    env: { ...process.env, TOLLGATE_URL: gateway.url, TOLLGATE_KEY: managementKey },
  });
  expect(JSON.parse(stdout)).toEqual({ limit: 500_000, quota: expect.any(Number) });
  expect(JSON.parse(stdout).quota).toBeGreaterThan(0);
}, 120_000);
