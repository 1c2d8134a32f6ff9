import { dropDatabase } from "@tollgate/tests/harness/postgres-cluster.ts";
import { runImport } from "@tollgate/tests/support/import-command.ts";
import {
  awkwardLitellmRows,
  createLitellmDatabase,
  hashOfLitellmKey,
  type LitellmRow,
  litellmEnvironment,
  litellmKeys,
  withLitellm,
} from "@tollgate/tests/support/litellm-database.ts";
import { rawRows } from "@tollgate/tests/support/raw-rows.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { auditBooks } from "../../../money/audit/audit.ts";

const alice = "11111111-aaaa-4bbb-8ccc-000000000001";
const march = "2026-03-04 05:06:07.125";
const spendRow = (request_id: string, more: LitellmRow): LitellmRow => ({
  ...{
    request_id,
    call_type: "acompletion",
    api_key: hashOfLitellmKey(litellmKeys.alice),
    user: alice,
    spend: 0.001,
  },
  ...{
    startTime: march,
    endTime: "2026-03-04 05:06:09.125",
    completionStartTime: "2026-03-04 05:06:07.625",
  },
  ...{
    model: "openai/sim-model",
    custom_llm_provider: "openai",
    model_group: "sim-model",
    model_id: "m1",
  },
  ...{ prompt_tokens: 100, completion_tokens: 5, total_tokens: 105, status: "success", ...more },
});
const usage_object = {
  cache_read_input_tokens: 40,
  cache_creation_input_tokens: 30,
  prompt_tokens_details: {
    cached_tokens: 40,
    cache_creation_token_details: { ephemeral_1h_input_tokens: 10 },
  },
};

describe.skipIf(!process.env.TEST_POSTGRES_URL).each(testDatabases)(
  "LiteLLM's spend logs into $name",
  ({ open }) => {
    let source: string;
    let target: TestDatabase;
    const run = async (...args: string[]) =>
      (await runImport(target.db, args, { source, environment: litellmEnvironment })).lines;
    const rows = <Row>(text: string) => rawRows<Row>(target.db, text);
    const logLine = (lines: readonly string[]) => lines.find((line) => line.startsWith("log: "));
    const differences = async (): Promise<string[]> =>
      (await run("verify")).filter((line) => line.startsWith("log "));

    beforeAll(async () => {
      source = await createLitellmDatabase({
        ...awkwardLitellmRows(),
        LiteLLM_SpendLogs: [
          // Two calls that began in one millisecond, and in no order of their ids.
          spendRow("z", {
            spend: 0.000_123_4,
            metadata: { usage_object, user_api_key_alias: "alice's key" },
          }),
          spendRow("a", {
            api_key: hashOfLitellmKey(litellmKeys.team),
            user: "bob-id",
            team_id: "t1",
          }),
          spendRow("of nobody", {
            api_key: "",
            user: "gone",
            model_id: "gone",
            startTime: "2026-03-05 00:00:00",
          }),
          spendRow("of the master key", {
            api_key: "litellm_proxy_master_key",
            user: "default_user_id",
          }),
          spendRow("paid back", { spend: -1, startTime: "2026-03-06 00:00:00" }),
          spendRow("failed", { status: "failure", spend: 0 }),
          spendRow("no number", { spend: Number.NaN }),
          spendRow("negative", { prompt_tokens: -1 }),
          spendRow("old", { startTime: "2023-12-31 23:59:59" }),
          spendRow("endless", { startTime: "infinity" }),
          spendRow("young", { startTime: new Date() }),
        ],
      });
      target = await open();
    });
    afterAll(async () => {
      await target.close();
      await dropDatabase(source);
    });

    test("calls become rows that were charged elsewhere, with their account, key and channel; the books agree", async () => {
      const lines = await run("--logs", "--all");
      expect(logLine(lines)).toBe("log: 6 carried, 0 updated, 0 unchanged, 3 left");
      expect(lines).toContain("The books agree.");
      const stored = await rows<Record<string, unknown>>(
        `select logs.username, tokens.name as token, channels.models, model_name, origin_model_name, quota, prompt_tokens,
         cached_prompt_tokens, cache_write_5m_tokens, cache_write_1h_tokens, elapsed_ms, ttft_ms, is_stream, outcome, content
       from logs left join tokens on tokens.id = token_id left join channels on channels.id = channel_id
       where logs.type = 2 order by logs.id`,
      );
      expect(stored).toMatchObject([
        // A team is no account: the row has the name of who called.
        { username: "bob-id", token: "sk-...am-1", models: "sim-model", quota: 500 },
        { username: "admin", token: "master key", quota: 500 },
        {
          username: "alice",
          token: "alice's key",
          quota: 62,
          ...{ model_name: "sim-model", prompt_tokens: 100 },
        },
        { username: "litellm", token: null, models: null, quota: 500 },
        { username: "alice", quota: 0 },
      ]);
      expect(stored[2]).toMatchObject({
        ...{
          cached_prompt_tokens: 40,
          cache_write_5m_tokens: 20,
          cache_write_1h_tokens: 10,
          outcome: "",
        },
        ...{
          elapsed_ms: 2_000,
          ttft_ms: 500,
          is_stream: 1,
          content: "imported from LiteLLM: acompletion",
        },
      });
      expect(await auditBooks(target.db)).toEqual([]);
      expect(await differences()).toEqual([]);
    });

    test("a second run carries nothing again, and a later one what began since, many in one millisecond", async () => {
      expect(logLine(await run("--logs"))).toBeUndefined();
      await withLitellm(source, (client) =>
        client.query(
          `insert into "LiteLLM_SpendLogs" (request_id, call_type, spend, prompt_tokens, "startTime", "endTime", "user")
         select 'r' || md5(n::text), 'aembedding', 0.00001, 1, at, at, '${alice}'
         from generate_series(0, 2399) as n, lateral (select timestamp '2026-03-07' + n / 700 * interval '1 ms' as at) as moments`,
        ),
      );
      expect((await differences())[0]).toContain("2400 rows");
      expect(logLine(await run("--logs"))).toBe(
        "log: 2400 carried, 0 updated, 0 unchanged, 0 left",
      );
      expect(
        await rows("select sum(quota) as quota from logs where content like '%aembedding'"),
      ).toMatchObject([{ quota: 12_000 }]);
      expect(await auditBooks(target.db)).toEqual([]);
      expect(await differences()).toEqual([]);
    });

    test("a charge that is another one there is a difference of its day and its user", async () => {
      await withLitellm(source, (client) =>
        client.query(`update "LiteLLM_SpendLogs" set spend = 0.002 where request_id = 'a'`),
      );
      expect((await differences()).sort()).toEqual([
        'log  "2026-03-04": sum of quota is 1562 there and 1062 here',
        'log  "user team:t1": sum of quota is 1000 there and 500 here',
      ]);
    });

    test("a moment with more calls than a page refuses the run and names it", async () => {
      await withLitellm(source, (client) =>
        client.query(
          `insert into "LiteLLM_SpendLogs" (request_id, call_type, "startTime", "endTime")
         select 'm' || n, 'x', '2026-03-08', '2026-03-08' from generate_series(1, 1000) as n`,
        ),
      );
      expect((await run("--logs")).join()).toMatch(
        /Refused: .*1000 calls or more that began at 2026-03-08T00:00/,
      );
    });
  },
);
