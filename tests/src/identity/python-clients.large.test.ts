/**
 * Programs of Python operate the gateway: an agent with the protocol's own library, and a client
 * generated from the OpenAPI document.
 */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { gatewayProgram } from "../harness/gateway-program.ts";
import { pythonAvailable, pythonWith } from "../harness/python-packages.ts";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";

const run = promisify(execFile);
const here = (file: string) => join(import.meta.dirname, file);
const possible = pythonAvailable();
const reason = possible.available ? "" : ` (${possible.reason})`;
/** Packages are fetched once on a machine. */
const installWithinMs = 300_000;

describe.skipIf(!possible.available)(`Python${reason}`, () => {
  let gateway: TestGateway;
  let folder: string;
  let key: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "python-clients-"));
    gateway = await startTestGateway({ store: "sqlite" });
    await gateway.given.channel({ key: "sim-ok", models: "gpt-5.6-terra" });
    const body = {
      name: "program",
      scopes: ["tokens:read", "tokens:write", "usage:read"],
      lifetime_days: 1,
    };
    ({ key } = await gateway.api<{ key: string }>("POST", "/api/management_key/", body));
  }, 120_000);
  afterAll(async () => {
    await gateway?.close();
    await rm(folder, { recursive: true, force: true });
  });

  test("the package mcp reaches the tools, and a change is made only after its dry run", {
    timeout: installWithinMs,
  }, async () => {
    const [command, ...args] = await pythonWith(here("mcp.txt"));
    const program = gatewayProgram();
    const server = {
      command: process.execPath,
      args: [...program.args, "mcp"],
      env: {
        ...program.env,
        PATH: process.env.PATH ?? "",
        TOLLGATE_URL: gateway.url,
        TOLLGATE_KEY: key,
      },
    };
    const { stdout } = await run(command, [...args, here("mcp_agent.py"), JSON.stringify(server)]);
    const told = JSON.parse(stdout);
    expect(told.tools).toContain("createToken");
    expect(told.untried).toMatchObject({
      is_error: true,
      text: expect.stringContaining("was not tried"),
    });
    expect(JSON.parse(told.tried.text)).toMatchObject({ dry_run: true });
    expect(told.before.text).not.toContain("of the Python agent");
    expect(told.made.is_error).toBe(false);
    expect(told.after.text).toContain("of the Python agent");
    expect(told.closed).toEqual({ is_error: true, text: expect.stringContaining("scope") });
  });

  test("openapi-python-client makes a client that makes a key, sets its limit and reads what it used", {
    timeout: installWithinMs,
  }, async () => {
    const document = await (await fetch(`${gateway.url}/api/openapi.json`)).text();
    await writeFile(join(folder, "openapi.json"), document);
    const [command, ...args] = await pythonWith(here("openapi.txt"));
    const generator = ["-m", "openapi_python_client", "generate", "--meta", "none"];
    // Without it, the generator formats what it wrote, by a program that is not on the path here.
    await writeFile(join(folder, "config.yml"), "post_hooks: []\n");
    const files = [
      "--path",
      "openapi.json",
      "--output-path",
      "tollgate_client",
      "--config",
      "config.yml",
    ];
    const generated = await run(command, [...args, ...generator, ...files], { cwd: folder });
    // What it leaves out: a reply that is lines of JSON.
    const left = (generated.stdout + generated.stderr).match(/WARNING.*/g);
    expect(left).toEqual(["WARNING parsing GET /api/audit/export within audit_trail."]);
    const { stdout } = await run(command, [...args, here("use_generated_client.py"), folder], {
      env: { ...process.env, TOLLGATE_URL: gateway.url, TOLLGATE_KEY: key },
    });
    expect(JSON.parse(stdout)).toEqual({
      limit: 500_000,
      answered: true,
      quota: expect.any(Number),
    });
    expect(JSON.parse(stdout).quota).toBeGreaterThan(0);
  });
});
