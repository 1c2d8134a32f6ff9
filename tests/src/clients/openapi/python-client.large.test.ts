// A client of another language, generated from the OpenAPI document: every reply of a round of
// operations is read into the model that the document describes.
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { scopes } from "@tollgate/contract/accounts/scopes.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pythonAvailable, pythonWith } from "../../harness/python-packages.ts";
import { startTestGateway, type TestGateway } from "../../harness/test-gateway.ts";

const run = promisify(execFile);
const possible = pythonAvailable();
const reason = possible.available ? "" : ` (${possible.reason})`;
const here = import.meta.dirname;
const operationsMin = 30;

describe.skipIf(!possible.available)(`a generated client of Python${reason}`, () => {
  let gateway: TestGateway;
  let folder: string;
  let python: [string, ...string[]];
  let managementKey: string;

  beforeAll(async () => {
    python = await pythonWith(join(here, "requirements.txt"));
    folder = await mkdtemp(join(tmpdir(), "python-client-"));
    gateway = await startTestGateway({ store: "sqlite" });
    const body = { name: "program", scopes, lifetime_days: 1 };
    managementKey = (await gateway.api<{ key: string }>("POST", "/api/management_key/", body)).key;
  }, 300_000);
  afterAll(async () => {
    await gateway?.close();
    await rm(folder, { recursive: true, force: true });
  });

  test("makes, reads, changes and deletes things in a round of more than thirty operations", {
    timeout: 180_000,
  }, async () => {
    const document = join(folder, "openapi.json");
    await writeFile(document, await (await fetch(`${gateway.url}/api/openapi.json`)).text());
    const [file, ...before] = python;
    const made = join(folder, "gate_client");
    await run(file, [
      ...[...before, "-m", "openapi_python_client", "generate"],
      ...["--path", document, "--output-path", made, "--meta", "none"],
    ]);
    const { stdout } = await run(file, [...before, join(here, "round.py"), folder], {
      env: {
        ...process.env,
        TOLLGATE_URL: gateway.url,
        TOLLGATE_KEY: managementKey,
        SIMULATOR_URL: gateway.simulator.url,
      },
    });
    const { operations, answer } = JSON.parse(stdout) as { operations: string[]; answer: string };
    expect(new Set(operations).size).toBe(operations.length);
    expect(operations.length).toBeGreaterThanOrEqual(operationsMin);
    expect(answer).not.toBe("");
    const { charged } = await gateway.settled();
    expect(charged).toBeGreaterThan(0);
    expect(await gateway.audit()).toBe("The books agree.");
  });
});
