import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runImport } from "@tollgate/tests/support/import-command.ts";
import { rawRows } from "@tollgate/tests/support/raw-rows.ts";
import { ruleDatabases, type TestDatabase } from "@tollgate/tests/support/test-databases.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const masterKey = "sk-master-of-the-config-0123456789";
const config = `
model_list:
  - model_name: gpt-4
    litellm_params: &west
      model: openai/gpt-4.1
      api_key: os.environ/WEST_KEY
      api_base: https://west.example.com/v1
      input_cost_per_token: 0.000002
      output_cost_per_token: 0.000008
  - model_name: gpt-4
    litellm_params: { <<: *west, api_base: https://east.example.com/v1, rpm: 60, use_xai_oauth: false, tags: [] }
  - model_name: claude
    litellm_params: { model: anthropic/claude-sonnet-5, litellm_credential_name: shared }
  - model_name: small
    litellm_params: { model: openai/gpt-4.1-mini, api_key: os.environ/NOT_SET }
  - model_name: "*"
    litellm_params: { model: "openai/*", api_key: sk-canary-literal }
  - just a text
  - model_name: "oai/*"
    litellm_params: { model: "openai/*", api_key: sk-canary-pattern }
credential_list:
  - credential_name: shared
    credential_values: { api_key: sk-canary-shared }
router_settings:
  routing_strategy: usage-based-routing-v2
  model_group_alias: { default-model: gpt-4, hidden: { model: claude, hidden: true } }
  fallbacks: [{ gpt-4: [claude, small, "last", one-more] }, { claude: [gpt-4] }, { "*": [small] }]
  content_policy_fallbacks: [{ gpt-4: [claude, small, "last", one-more] }]
litellm_settings:
  master_key: sk-canary-ignored
  drop_params: true
  context_window_fallbacks: [{ small: [gpt-4] }]
general_settings:
  master_key: os.environ/PROXY_KEY
  database_url: postgresql://user:canary-of-the-database@db/litellm
guardrails:
  - guardrail_name: pii
include: [more.yaml]
`;
const included = `
model_list:
  - model_name: embeddings
    litellm_params: { model: text-embedding-3-small, api_key: sk-canary-included }
`;

describe.each(ruleDatabases)("config.yaml of LiteLLM into $name", ({ open }) => {
  let folder: string;
  let target: TestDatabase;
  const run = async (text: string, args: string[] = [], name = "config.yaml") => {
    const path = join(folder, name);
    writeFileSync(path, text);
    const { code, lines } = await runImport(target.db, [path, "--all", ...args], {
      environment: { WEST_KEY: "sk-canary-west", PROXY_KEY: masterKey },
    });
    return { code, lines, text: lines.join("\n") };
  };
  const rows = <Row>(text: string) => rawRows<Row>(target.db, text);

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tollgate-config-"));
    writeFileSync(join(folder, "more.yaml"), included);
    target = await open();
  });
  afterAll(async () => {
    await target.close();
    rmSync(folder, { recursive: true });
  });

  test.each([
    ["a: [", /Refused: .*bad\.yaml:1:5 is no valid YAML/],
    ["port: 4000", /Refused: .* is no configuration of LiteLLM/],
    ["- model_list", /Refused: .* is no configuration of LiteLLM/],
    [`model_list: []\ninclude: [absent.yaml]`, /Refused: .*absent\.yaml cannot be read \(ENOENT\)/],
  ])("%j is refused, and nothing is written", async (text, message) => {
    const { code, lines } = await run(text, [], "bad.yaml");
    expect(code).toBe(1);
    expect(lines.at(-1)).toMatch(message);
    expect(await rows("select id from users")).toEqual([]);
  });

  test("a plan names what would be carried and what not, the run keeps to it, and no line holds a secret", async () => {
    const plan = await run(config, ["--plan"]);
    const { code, lines, text } = await run(config);
    expect(code).toBe(2);
    expect(lines).toContain("The books agree.");
    const told = (all: readonly string[]) => all.filter((line) => /^[-!]|carried,/.test(line));
    expect(told(lines)).toEqual(told(plan.lines));
    for (const line of [
      /^! setting general_settings\.database_url names a database/,
      /^! setting config\.yaml\.guardrails protected the source/,
      /^- setting router_settings\.routing_strategy has no counterpart/,
      /^- setting litellm_settings\.master_key has no counterpart/,
      /^- channel .* has a setting without a counterpart \(litellm_params\): rpm$/,
      /^! channel model_list\[3\] "small" was not carried: set NOT_SET/,
      /^! channel model_list\[4\] "\*" serves models by a pattern/,
      /^- channel model_list\[5\] has fields that cannot be read/,
      /^- virtual model \* has fallbacks that cannot be told here/,
      /^- virtual model small has context_window_fallbacks that cannot be told here/,
      /^- virtual model gpt-4 has more fallbacks than tiers/,
      /^! virtual model claude was refused/,
    ])
      expect(
        lines.some((one) => line.test(one)),
        String(line),
      ).toBe(true);
    for (const secret of ["canary", masterKey]) expect(text).not.toContain(secret);
    expect(await rows("select count(*) as n from tokens")).toEqual([{ n: 1 }]);
  });

  test("models are channels with their addresses and prices, and an alias is a further name of the same model", async () => {
    const channels = await rows<Record<string, string>>(
      "select name, type, base_url, models, model_mapping from channels",
    );
    const byHost = new Map(channels.map(({ base_url, ...channel }) => [base_url, channel]));
    expect(channels).toHaveLength(5);
    expect(channels.find(({ models }) => models === "oai/*")).toMatchObject({
      model_mapping: '{"oai/*":"*"}',
    });
    for (const host of ["west", "east"])
      expect(byHost.get(`https://${host}.example.com/v1`)).toMatchObject({
        models: "gpt-4,default-model",
        model_mapping: JSON.stringify({ "gpt-4": "gpt-4.1", "default-model": "gpt-4.1" }),
      });
    expect(channels.map(({ models }) => models)).toEqual(
      expect.arrayContaining(["claude,hidden", "embeddings"]),
    );
  });

  test("fallbacks are tiers of a virtual model of the same name, also for an alias", async () => {
    const stored = await rows<{ name: string; replaces_model: number; rules: string }>(
      "select name, replaces_model, rules from virtual_models order by name",
    );
    expect(stored.map(({ name }) => name)).toEqual(["default-model", "gpt-4"]);
    const [alias, model] = stored.map(({ rules }) => JSON.parse(rules));
    expect(model).toMatchObject({
      access: "name",
      retries_refused_content: true,
      tiers: [
        { targets: [{ model: "gpt-4", weight: 1 }] },
        { targets: [{ model: "claude", weight: 1 }] },
        {
          targets: [
            { model: "small", weight: 1 },
            { model: "last", weight: 0 },
            { model: "one-more", weight: 0 },
          ],
        },
      ],
    });
    expect(alias.tiers.slice(1)).toEqual(model.tiers.slice(1));
  });

  test("a second run changes nothing, and one with another fallback says that it stays as it was", async () => {
    const again = await run(config);
    expect(again.text).toMatch(/channel: 0 carried, 0 updated, 5 unchanged/);
    expect(again.text).toMatch(/model: 0 carried, 0 updated, 2 unchanged/);
    const changed = await run(
      config.replace('"last", one-more] }, { claude', '"last"] }, { claude'),
    );
    expect(changed.text).toMatch(/virtual model gpt-4 changed in the source since/);
  });
});
