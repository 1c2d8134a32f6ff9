// A site of before, moved in from the console while the gateway runs: root names a source, sees the
// plan, and carries it.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { consoleHeader } from "@tollgate/contract/api/envelope.ts";
import { importPartBytesMax, type SiteImport } from "@tollgate/contract/commands/site-imports.ts";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import { createDatabase, dropDatabase } from "../harness/postgres-cluster.ts";
import { startTestGateway, type TestGateway, userPassword } from "../harness/test-gateway.ts";
import {
  awkwardRows,
  createFamilyDatabase,
  familyStatements,
  oldKey,
  oldPassword,
} from "../support/family-database.ts";
import { describeLarge } from "../support/large-tests.ts";
import {
  awkwardLitellmRows,
  createLitellmDatabase,
  litellmKeys,
  litellmSalt,
} from "../support/litellm-database.ts";

const leaseMs = 60_000;

describeLarge(["sqlite", "postgres"] as const)("an import from the console into %s", (store) => {
  let folder: string;
  let file: string;
  let postgres: string | undefined;
  let gateway: TestGateway;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tollgate-site-import-"));
    file = join(folder, "one-api.db");
    const upstream = "https://api.example.com";
    createFamilyDatabase(file, "new-api", awkwardRows("new-api", upstream));
    const db = new DatabaseSync(file);
    db.exec(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 4000)
      insert into logs (user_id, created_at, type, content, username, token_name, model_name, prompt_tokens, completion_tokens, quota, channel_id)
        select 2, 1780000000 + i, 2, '', 'alice', 'one', 'gpt-4o', 10, 5, 7, 999 from n`);
    db.close();
    if (process.env.TEST_POSTGRES_URL)
      postgres = await createLitellmDatabase(awkwardLitellmRows(upstream));
    const hosts = postgres === undefined ? "" : new URL(postgres).host;
    gateway = await startTestGateway({
      store,
      hasShiftableClock: true,
      env: { API_RATE_LIMIT: "0", IMPORT_PRIVATE_HOSTS: hosts },
    });
  });
  afterAll(async () => {
    await gateway.close();
    if (postgres !== undefined) await dropDatabase(postgres);
    rmSync(folder, { recursive: true });
  });

  const latest = async (): Promise<SiteImport | null> =>
    (await gateway.api<{ latest: SiteImport | null }>("GET", "/api/site_import")).latest;
  const begin = (body: object) => gateway.api("POST", "/api/site_import", body);
  const sendPart = async (bytes: Uint8Array, offset: number) => {
    const { cookie } = await gateway.root();
    const headers = {
      cookie,
      [consoleHeader.name]: consoleHeader.value,
      "content-type": "application/octet-stream",
    };
    const body = new Uint8Array(bytes);
    const reply = await fetch(`${gateway.url}/api/site_import/file?offset=${offset}`, {
      method: "PUT",
      headers,
      body,
    });
    return (await reply.json()) as { success: boolean; code?: string; message: string };
  };
  const upload = async (bytes: Uint8Array): Promise<void> => {
    for (let offset = 0; offset < bytes.byteLength; offset += importPartBytesMax) {
      const reply = await sendPart(bytes.subarray(offset, offset + importPartBytesMax), offset);
      expect(reply).toMatchObject({ success: true });
    }
  };
  /** `run` says how it ended. */
  const run = async (step: "plan" | "carry"): Promise<SiteImport> => {
    await gateway.api("POST", `/api/site_import/${step}`, {});
    return await eventually(
      async () => {
        const found = await latest();
        if (!found || found.state === "running") throw new Error("the import is running");
        return found;
      },
      { timeoutMs: 60_000 },
    );
  };
  const countOf = (found: SiteImport, entity: string) =>
    found.counts.find((row) => row.entity === entity);
  const filesLeft = (): string[] => {
    const uploads = join(gateway.dataDir, "imports");
    return existsSync(uploads) ? readdirSync(uploads) : [];
  };

  test("root uploads a database, sees the plan, which writes nothing, and carries it with its log", async () => {
    await begin({ kind: "file", name: "before", logs: true });
    await upload(readFileSync(file));
    expect(await latest()).toMatchObject({
      state: "waiting",
      uploaded_bytes: readFileSync(file).byteLength,
    });

    const plan = await run("plan");
    expect(plan).toMatchObject({
      state: "done",
      phase: "plan",
      failure: "",
      comparison: null,
      has_source: true,
    });
    expect(plan.system).toContain("new-api");
    expect(countOf(plan, "user")?.added).toBeGreaterThan(3);
    expect(plan.findings.find(({ reason }) => reason === "role_lowered")).toMatchObject({
      is_grave: true,
      losses: [{ entity: "user", source_id: "1", name: "root", field: "role", value: "" }],
    });
    expect(await gateway.rows("select * from users where username = 'alice'")).toEqual([]);

    const carried = await run("carry");
    expect(carried).toMatchObject({
      state: "done",
      phase: "verify",
      failure: "",
      has_source: false,
    });
    expect(countOf(carried, "log")?.added).toBeGreaterThanOrEqual(4_000);
    expect(carried.comparison?.compared).toBeGreaterThan(4_000);
    expect(carried.comparison?.differences).toEqual([]);
    expect(filesLeft()).toEqual([]);

    const alice = await gateway.signIn("alice", oldPassword);
    expect(alice.cookie).not.toBe("");
    const models = await fetch(`${gateway.url}/v1/models`, {
      headers: { authorization: `Bearer ${oldKey}` },
    });
    expect(models.status).toBe(200);
    const entries = await gateway.rows<{ action: string; actor_id: number }>(
      "select action, actor_id from audit_entries where action like 'import.%' order by id",
    );
    expect(entries.map(({ action }) => action)).toEqual([
      "import.begin",
      "import.carry",
      "import.run",
    ]);
    expect(new Set(entries.map(({ actor_id }) => Number(actor_id))).size).toBe(1);
  });

  test("the same source again carries nothing twice", async () => {
    await begin({ kind: "file", name: "before", logs: true });
    await upload(readFileSync(file));
    const again = await run("carry");
    expect(again.counts.map(({ entity, added }) => `${entity} ${added}`)).not.toContain("user 1");
    expect(again.counts.reduce((sum, { added, changed }) => sum + added + changed, 0)).toBe(0);
  });

  test("an uploaded file whose log is on a server is carried with that log, and not with the old one beside it", async ({
    skip,
  }) => {
    if (postgres === undefined) return skip("needs TEST_POSTGRES_URL");
    const logUrl = await createDatabase(undefined, postgres);
    const client = new pg.Client({ connectionString: logUrl });
    await client.connect();
    try {
      const row = {
        user_id: 2,
        type: 2,
        model_name: "gpt-4o",
        quota: 11,
        prompt_tokens: 10,
        completion_tokens: 5,
      };
      const logs = [1, 2, 3].map((n) => ({
        ...row,
        created_at: 1_780_000_000 + n,
        username: "alice",
      }));
      for (const [sql, values] of familyStatements("new-api", "postgres", { logs }))
        await client.query(sql, [...values]);
      await begin({ kind: "file", name: "apart", logs: true, log_address: logUrl });
      await upload(readFileSync(file));
      const carried = await run("carry");
      expect(carried).toMatchObject({ state: "done", failure: "" });
      expect(countOf(carried, "log")).toMatchObject({ added: 3 });
      expect(carried.source).toBe(`${new URL(logUrl).host}${new URL(logUrl).pathname}`);
      await expect(
        begin({ kind: "file", log_address: "postgres://u:p@10.0.0.1/log" }),
      ).rejects.toThrow(/log_address: .*IMPORT_PRIVATE_HOSTS/);
    } finally {
      await client.end();
      await dropDatabase(logUrl);
    }
  });

  test("a LiteLLM proxy is read from its PostgreSQL address, with the salt that root gives", async ({
    skip,
  }) => {
    if (postgres === undefined) return skip("needs TEST_POSTGRES_URL");
    const environment = `LITELLM_SALT_KEY=${litellmSalt}\nLITELLM_MASTER_KEY=${litellmKeys.master}\n`;
    await begin({ kind: "address", address: postgres, name: "litellm", environment });
    const named = await latest();
    expect(named?.source).toBe(`${new URL(postgres).host}${new URL(postgres).pathname}`);
    expect((await run("plan")).system).toBe("LiteLLM");
    expect(await run("carry")).toMatchObject({
      state: "done",
      has_source: false,
      comparison: { difference_count: 0 },
    });
    const models = await fetch(`${gateway.url}/v1/models`, {
      headers: { authorization: `Bearer ${litellmKeys.alice}` },
    });
    expect(models.status).toBe(200);
    // Neither salt nor password is anywhere in clear.
    const stored = JSON.stringify(await gateway.rows("select * from site_imports"));
    expect(stored).not.toContain(litellmSalt);
    expect(stored).not.toContain(":password@");
  });

  test("a config.yaml of LiteLLM is a source of its own, and one that includes others is refused", async () => {
    await begin({ kind: "file", name: "yaml" });
    const text =
      "model_list:\n  - model_name: yaml-model\n    litellm_params: { model: openai/gpt-4o, api_key: sk-yaml }\n";
    await upload(Buffer.from(text));
    expect(countOf(await run("plan"), "channel")).toMatchObject({ added: 1 });
    await begin({ kind: "file", name: "yaml" });
    await upload(Buffer.from(`include: [/etc/passwd]\n${text}`));
    expect(await run("plan")).toMatchObject({
      state: "failed",
      failure: expect.stringContaining("includes other files"),
    });
  });

  test("what is no source is refused in words, and the gateway answers on", async () => {
    const hostile: Record<string, Buffer> = {
      noise: Buffer.alloc(3_000_000, "noise "),
      "a header without a database": Buffer.concat([
        Buffer.from("SQLite format 3\0"),
        Buffer.alloc(100_000, 7),
      ]),
      "half a database": readFileSync(file).subarray(0, 9_000),
      "deep YAML": Buffer.from("[".repeat(100_000)),
    };
    for (const [what, bytes] of Object.entries(hostile)) {
      await begin({ kind: "file", name: "hostile" });
      await upload(bytes);
      const ended = await run("carry");
      expect(ended, what).toMatchObject({ state: "failed", failure: expect.stringMatching(/\w/) });
      expect(ended.failure, what).not.toContain("went wrong on the server");
      expect(ended.failure, what).not.toContain(gateway.dataDir);
    }
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
  });

  test("a table that would be sorted for long ends with its process when root stops it", {
    tags: ["large"],
  }, async () => {
    const slow = join(folder, "slow.db");
    createFamilyDatabase(slow, "one-api", {});
    const db = new DatabaseSync(slow);
    db.exec(`drop table users;
      create table users (id integer, username text, password text, quota bigint, used_quota bigint);
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 300000)
        insert into users select i * 7919 % 1000003, 'slow ' || i, '', 1, 1 from n;`);
    db.close();
    await begin({ kind: "file", name: "slow" });
    await upload(readFileSync(slow));
    await gateway.api("POST", "/api/site_import/carry", {});
    const running = await gateway.api<{ latest: SiteImport }>("POST", "/api/site_import/stop", {});
    expect(running.latest).toMatchObject({ state: "stopped", has_source: true });
    await gateway.api("DELETE", "/api/site_import");
    expect(await latest()).toBeNull();
    expect(filesLeft()).toEqual([]);
  });

  test("parts must follow each other, and only a named file takes them", async () => {
    await begin({ kind: "file", name: "parts" });
    expect(await sendPart(Buffer.from("late"), 10)).toMatchObject({
      success: false,
      code: "site_import_part",
    });
    const tooMuch = await sendPart(Buffer.alloc(importPartBytesMax + 1), 0);
    expect(tooMuch).toMatchObject({ success: false, code: "body_too_large" });
    expect(await latest()).toMatchObject({ uploaded_bytes: 0 });
    await gateway.api("DELETE", "/api/site_import");
    expect(await sendPart(Buffer.from("x"), 0)).toMatchObject({
      success: false,
      code: "site_import_missing",
    });
    await expect(gateway.api("POST", "/api/site_import/plan", {})).rejects.toThrow(/no import/);
  });

  test("only public servers are read, and no path of the server", async () => {
    const refused = {
      "postgres://u:p@127.0.0.1:9/db": /IMPORT_PRIVATE_HOSTS/,
      "postgres://u:p@169.254.169.254/db": /IMPORT_PRIVATE_HOSTS/,
      "postgres://u:p@[::1]:5432/db": /IMPORT_PRIVATE_HOSTS/,
      "mysql://u:p@localhost/db": /IMPORT_PRIVATE_HOSTS/,
      "u:p@tcp(10.0.0.1:3306)/db": /IMPORT_PRIVATE_HOSTS/,
      "u:p@unix(/run/mysqld.sock)/db": /PostgreSQL or MySQL/,
      "postgres://u:p@/db?host=/run/postgresql": /PostgreSQL or MySQL/,
      [file]: /uploaded as a file/,
      [`sqlite:${file}`]: /uploaded as a file/,
      "": /PostgreSQL or MySQL/,
    };
    for (const [address, words] of Object.entries(refused)) {
      await expect(begin({ kind: "address", address }), address).rejects.toThrow(words);
      await expect(begin({ kind: "address", address }), address).rejects.not.toThrow(/u:p/);
    }
    expect(await latest()).toBeNull();
  });

  test("it is for root, who proves who that is", async () => {
    const assistant = await gateway.given.user(`assistant ${store}`);
    expect((await assistant.request("GET", "/api/site_import")).status).toBe(403);
    const wrong = await (await gateway.root()).request("POST", "/api/site_import", {
      kind: "file",
      current_password: `not ${userPassword}`,
    });
    expect(wrong.body).toMatchObject({ success: false, code: "current_password_wrong" });
  });

  test("an import whose gateway is killed shows as interrupted, and carrying again completes it", {
    tags: ["large"],
    timeout: 120_000,
  }, async () => {
    const large = join(folder, "large.db");
    writeFileSync(large, readFileSync(file));
    const db = new DatabaseSync(large);
    db.exec(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
      insert into logs (user_id, created_at, type, content, username, token_name, model_name, prompt_tokens, completion_tokens, quota, channel_id)
        select 2, 1770000000 + i, 2, '', 'alice', 'one', 'gpt-4o', 10, 5, 7, 999 from n`);
    db.close();
    await begin({ kind: "file", name: "killed", logs: true });
    await upload(readFileSync(large));
    await gateway.api("POST", "/api/site_import/carry", {});
    await eventually(
      async () => {
        const [row] = await gateway.rows(
          "select * from imported where source = 'killed' and entity = 'log'",
        );
        if (!row) throw new Error("the log has not begun");
      },
      { timeoutMs: 60_000, everyMs: 5 },
    );
    await gateway.restart("SIGKILL");
    expect(await latest()).toMatchObject({ state: "running", has_source: true });
    await gateway.shiftClock(leaseMs + 1_000);
    expect(await latest()).toMatchObject({ state: "interrupted" });
    expect(await run("carry")).toMatchObject({ state: "done", has_source: false });
    const [sums] = await gateway.rows<{ calls: number }>(
      "select sum(calls) as calls from imported_log_sums where source = 'killed' and kind = 'day'",
    );
    expect(Number(sums?.calls)).toBeGreaterThanOrEqual(24_000);
  });
});
