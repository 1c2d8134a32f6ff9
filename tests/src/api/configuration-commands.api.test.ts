import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { gatewayProgram } from "../harness/gateway-program.ts";
import { repositoryDir } from "../harness/repository-dir.ts";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";

/**
 * Each command is a process of its own, several of them in a test, on a machine that may be five
 * times slower.
 */
const slow = 180_000;

const rootPassword = "correct horse battery";

let gateway: TestGateway;
let folder: string;
let key: string;
beforeAll(async () => {
  gateway = await startTestGateway({
    env: { PUBLIC_URL: "https://ai.example.com", INITIAL_ROOT_PASSWORD: rootPassword },
  });
  folder = await mkdtemp(join(tmpdir(), "tollgate-apply-"));
  const body = { name: "ci", scopes: ["config:read", "config:write"], lifetime_days: 1 };
  key = (await gateway.api<{ key: string }>("POST", "/api/management_key/", body)).key;
});
afterAll(async () => {
  await gateway?.close();
  await rm(folder, { recursive: true, force: true });
});

interface Ended {
  code: number;
  out: string;
  err: string;
}

/** Runs as an operator does, with nothing of this process's environment. */
const tollgate = (
  args: readonly string[],
  env: Record<string, string> = {},
  cwd = folder,
): Promise<Ended> =>
  new Promise((resolve) => {
    const { args: program, env: nodeEnv } = gatewayProgram();
    const environment = {
      ...nodeEnv,
      PATH: process.env.PATH ?? "",
      TOLLGATE_URL: gateway.url,
      TOLLGATE_KEY: key,
      ...env,
    };
    execFile(
      process.execPath,
      [...program, ...args],
      { env: environment, cwd },
      (error, out, err) => resolve({ code: error ? Number(error.code) : 0, out, err }),
    );
  });

const write = async (name: string, text: string) => {
  await writeFile(join(folder, name), text);
  return name;
};

test("the example of the documentation is planned, applied and exported, and applying the export changes nothing", {
  timeout: slow,
}, async () => {
  const page = await readFile(join(repositoryDir, "docs/configuration-file.md"), "utf8");
  const example = /```yaml\n(.*?)```/s.exec(page)?.[1] ?? "";
  const file = await write("tollgate.yaml", example);
  // A file makes no accounts.
  for (const account of [{ username: "anna" }, { username: "bob" }, { username: "carla" }])
    await gateway.api("POST", "/api/user/", {
      ...{ ...account, password: "a password of a person" },
      ...(account.username === "carla" && { external_id: "hr-4711" }),
    });
  await write("anthropic-key", "sk-ant-canary-of-a-file\n");
  const secrets = {
    OPENAI_KEY: "sk-canary-of-the-environment",
    PROXY_TOKEN: "canary-header",
    PAGES_AUTHORIZATION: "canary-mcp",
  };
  const plan = await tollgate(["plan", "-f", file], secrets);
  expect([plan.err, plan.code]).toEqual(["", 2]);
  expect(plan.out).toContain("+ channel openai-west\n");
  expect(await tollgate(["apply", "-f", file], secrets)).toMatchObject({ code: 0, err: "" });
  expect(await tollgate(["plan", "-f", file], secrets)).toMatchObject({ code: 0, err: "" });

  const exported = await tollgate(["export"]);
  expect(exported.code).toBe(0);
  expect(exported.out).toContain("key: env:TOLLGATE_CHANNEL_OPENAI_WEST");
  expect(exported.out).toContain("authorization: env:TOLLGATE_MCP_SERVER_PAGES_AUTHORIZATION");
  expect(exported.out + plan.out).not.toContain("canary");
  const again = await tollgate(["apply", "-f", await write("exported.yaml", exported.out)]);
  expect(again).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^0 changed, \d+ unchanged\.\n$/),
  });
  expect(again.err).toContain("TOLLGATE_CHANNEL_OPENAI_WEST is not set: what is stored stays");
});

test("identity providers are applied with the password of the key's maker, from a file", {
  timeout: slow,
}, async () => {
  const provider =
    "{ slug: company, issuer: https://id.example.com, clientId: c, clientSecret: env:SECRET }";
  const file = await write(
    "people.yaml",
    `apiVersion: tollgate/v1\nidentityProviders: [${provider}]\n`,
  );
  const secrets = { SECRET: "canary-of-the-client" };
  expect(await tollgate(["plan", "-f", file], secrets)).toMatchObject({
    code: 2,
    out: expect.stringContaining("+ identity_provider company\n"),
  });
  expect(await tollgate(["apply", "-f", file], secrets)).toMatchObject({
    code: 1,
    err: expect.stringContaining("needs the password of the key's maker: --password-file FILE"),
  });
  const password = ["--password-file", await write("password", `${rootPassword}\n`)];
  expect(await tollgate(["apply", "-f", file, ...password], secrets)).toMatchObject({
    code: 0,
    err: "",
  });
  expect(await tollgate(["apply", "-f", file], secrets)).toMatchObject({
    code: 0,
    out: "0 changed, 1 unchanged.\n",
  });
  const exported = await tollgate(["export"]);
  expect(exported.out).toContain("clientSecret: env:TOLLGATE_IDENTITY_PROVIDER_COMPANY_SECRET");
});

test("without a gateway, a key or a file a command says what is missing and ends with 1", {
  timeout: slow,
}, async () => {
  expect(await tollgate(["export"], { TOLLGATE_KEY: "" })).toMatchObject({
    code: 1,
    err: expect.stringContaining("TOLLGATE_KEY is missing"),
  });
  expect(await tollgate(["apply", "-f", "absent.yaml"])).toMatchObject({
    code: 1,
    err: expect.stringContaining("absent.yaml cannot be read (ENOENT)"),
  });
});

test("what --prune would delete is named first, and without a terminal only --yes deletes it", {
  timeout: slow,
}, async () => {
  const channels = ["kept", "gone"].map((name) => ({
    name,
    type: "openai",
    key: "env:K",
    models: ["m"],
  }));
  const text = (of: readonly object[]) =>
    JSON.stringify({ apiVersion: "tollgate/v1", channels: of });
  const secrets = { K: "canary-of-a-key" };
  const name = ["--name", "pruned"];
  await tollgate(["apply", "-f", await write("both.json", text(channels)), ...name], secrets);
  const pruned = [
    "apply",
    "-f",
    await write("one.json", text(channels.slice(0, 1))),
    ...name,
    "--prune",
  ];
  expect(await tollgate(pruned, secrets)).toMatchObject({
    code: 1,
    err: "tollgate: this deletes channel gone: add --yes; nothing was written\n",
  });
  expect((await tollgate(["plan", ...pruned.slice(1)], secrets)).out).toContain("- channel gone\n");
  expect(await tollgate([...pruned, "--yes"], secrets)).toMatchObject({ code: 0, err: "" });
  // Nothing to delete is nothing to ask for.
  expect(await tollgate(pruned, secrets)).toMatchObject({
    code: 0,
    out: "0 changed, 1 unchanged.\n",
  });
});

test("a thousand channels are applied by one run, and a run that was killed is completed by the next", {
  tags: ["large"],
  timeout: slow,
}, async () => {
  const channels = Array.from({ length: 1_000 }, (_, n) => ({
    name: `many-${n}`,
    type: "openai",
    key: "env:MANY_KEY",
    models: ["small", "large"],
  }));
  const virtualModels = [
    { name: "of-many", tiers: [{ strategy: "weights", targets: [{ model: "small", weight: 1 }] }] },
  ];
  const file = await write(
    "many.json",
    JSON.stringify({ apiVersion: "tollgate/v1", channels, virtualModels }),
  );
  const secrets = { MANY_KEY: "sk-of-many" };
  const killed = tollgate(["apply", "-f", file], secrets);
  await gateway.restart("SIGKILL");
  await killed;
  const completed = await tollgate(["apply", "-f", file], secrets);
  expect([completed.err, completed.code]).toEqual(["", 0]);
  expect(await tollgate(["plan", "-f", file], secrets)).toMatchObject({
    code: 0,
    out: "0 to change, 1001 unchanged.\n",
  });
});
