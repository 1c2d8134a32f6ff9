import { dropDatabase } from "@tollgate/tests/harness/postgres-cluster.ts";
import { runImport } from "@tollgate/tests/support/import-command.ts";
import {
  awkwardLitellmRows,
  createLitellmDatabase,
  type LitellmRow,
  litellmEnvironment,
  withLitellm,
} from "@tollgate/tests/support/litellm-database.ts";
import { ruleDatabases, type TestDatabase } from "@tollgate/tests/support/test-databases.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const price = {
  input: 0.000_002_5,
  output: 0.000_015,
  read: 0.000_000_25,
  inputAbove: 0.000_005,
  outputAbove: 0.000_022_5,
};
const model = {
  model_id: "priced",
  model_name: "public-name",
  litellm_params: {
    model: "openai/upstream-name",
    api_key: "sk-of-the-provider",
    input_cost_per_token: price.input,
    output_cost_per_token: price.output,
    cache_read_input_token_cost: price.read,
    input_cost_per_token_above_200k_tokens: price.inputAbove,
    output_cost_per_token_above_200k_tokens: price.outputAbove,
  },
  model_info: {},
};

const call = (request_id: string, more: LitellmRow): LitellmRow => ({
  ...{
    request_id,
    call_type: "acompletion",
    user: "11111111-aaaa-4bbb-8ccc-000000000001",
    status: "success",
  },
  ...{
    model: "openai/upstream-name",
    custom_llm_provider: "openai",
    model_group: "public-name",
    model_id: "priced",
  },
  ...more,
});

/** As the proxy computes a charge, with its own floating point. */
const spendRows = Array.from({ length: 300 }, (_, n): LitellmRow => {
  const [prompt, output] = [
    1 + ((n * 7_919) % (n % 10 === 0 ? 400_000 : 3_000)),
    1 + ((n * 104_729) % 997),
  ];
  const cached = n % 3 === 0 && prompt <= 200_000 ? Math.floor(prompt / 4) : 0;
  const [input, completion] =
    prompt > 200_000 ? [price.inputAbove, price.outputAbove] : [price.input, price.output];
  const at = new Date(Date.UTC(2026, 2, 4, 5, 0, n)).toISOString();
  return call(`call ${n}`, {
    ...{ prompt_tokens: prompt, completion_tokens: output, startTime: at, endTime: at },
    spend: (prompt - cached) * input + cached * price.read + output * completion,
    metadata: { usage_object: { prompt_tokens_details: { cached_tokens: cached } } },
  });
});

const march = "2026-03-05 05:06:07";
const oddRow = (request_id: string, more: LitellmRow): LitellmRow =>
  call(request_id, {
    ...{ startTime: march, endTime: march, prompt_tokens: 10, completion_tokens: 1, spend: 9 },
    ...more,
  });

describe.skipIf(!process.env.TEST_POSTGRES_URL).each(ruleDatabases)(
  "prices of LiteLLM in $name",
  ({ open }) => {
    let source: string;
    let target: TestDatabase;
    const run = async (...args: string[]) =>
      (await runImport(target.db, args, { source, environment: litellmEnvironment })).lines;

    beforeAll(async () => {
      const rows = awkwardLitellmRows();
      source = await createLitellmDatabase({
        ...rows,
        LiteLLM_ProxyModelTable: [...(rows.LiteLLM_ProxyModelTable ?? []), model],
        LiteLLM_SpendLogs: [
          ...spendRows,
          oddRow("a picture", { call_type: "aimage_generation" }),
          oddRow("a search", { metadata: { cost_breakdown: { tool_usage_cost: 0.01 } } }),
          oddRow("a faster tier", { metadata: { usage_object: { service_tier: "priority" } } }),
          oddRow("sound", {
            metadata: { usage_object: { completion_tokens_details: { audio_tokens: 3 } } },
          }),
          oddRow("from a cache", { spend: 0 }),
          oddRow("of a model that is gone", { model_id: "gone" }),
        ],
      });
      target = await open();
      await run();
    });
    afterAll(async () => {
      await target.close();
      await dropDatabase(source);
    });

    test("that were carried charge its last calls as it did, but for its rounding; other charges are left out", async () => {
      expect((await run("verify")).at(-1)).toMatch(/ 300 of call\. 0 differences\.$/);
    });

    test("that it charged otherwise are named with what a call costs on both sides", async () => {
      await withLitellm(source, (client) =>
        client.query(`update "LiteLLM_SpendLogs" set spend = spend * 1.1`),
      );
      const [line, ...others] = (await run("verify")).filter((text) =>
        text.includes(": price is "),
      );
      expect(line).toMatch(
        /^channel \w+ "openai \w+: public-name for default": price is .* units a call there and .* here$/,
      );
      expect(others).toEqual([]);
    });
  },
);
