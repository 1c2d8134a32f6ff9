import { expect, test } from "vitest";
import { findCostMembers } from "./cost-members.ts";

/** Declares a field `model`, as the tool does by which Codex starts another agent. */
const functionNamingModels = {
  type: "function",
  name: "spawn_agent",
  parameters: { type: "object", properties: { model: { type: "string", enum: ["dear"] } } },
};

const names = (body: object): string[] | undefined =>
  findCostMembers(body)?.members.map(({ name }) => name);

test.each([
  [{ models: ["a", "b"] }, ["models"]],
  [{ route: "fallback" }, ["route"]],
  [{ fallbacks: [{ model: "dear" }] }, ["fallbacks"]],
  [{ plugins: [{ id: "web" }] }, ["plugins"]],
  [{ preset: "mine" }, ["preset"]],
  [{ provider: { order: ["dear"] } }, ["provider"]],
  [{ provider: { sort: "throughput" } }, ["provider"]],
  [{ provider: "dear" }, ["provider"]],
  [{ service_tier: "priority" }, ["service_tier"]],
  [{ serviceTier: "SERVICE_TIER_FLEX" }, ["service_tier"]],
  [{ service_tier: "auto", serviceTier: "SERVICE_TIER_PRIORITY" }, ["service_tier"]],
  [{ service_tier: "", serviceTier: "SERVICE_TIER_PRIORITY" }, ["service_tier"]],
  [{ tools: [{ type: "image_generation", model: "dear", function: {} }] }, ["tools.model"]],
  [{ tools: [{ type: "advisor_20260301", model: "dear", input_schema: {} }] }, ["tools.model"]],
  [{ tools: [{ model: "dear" }] }, ["tools.model"]],
  [{ service_tier: { name: "odd" } }, ["service_tier"]],
  [{ speed: "fast" }, ["speed"]],
  [{ inference_geo: "us" }, ["inference_geo"]],
  [{ web_search_options: {} }, ["web_search_options"]],
  [{ web_search_options: { length: 0 } }, ["web_search_options"]],
  [{ search_parameters: { mode: "auto" } }, ["search_parameters"]],
  [{ enable_search: true }, ["enable_search"]],
  [{ tools: [{ type: "image_generation", model: "gpt-image-1" }] }, ["tools.model"]],
  [{ access_programs: { cyber: "daybreak_red" } }, ["access_programs"]],
  [{ access_programs: "daybreak_red" }, ["access_programs"]],
  [{ access_programs: ["standard"] }, ["access_programs"]],
  [{ access_programs: { bio: "standard", cyber: "daybreak_red" } }, ["access_programs"]],
  [{ moderation: { model: "gpt-5.6-sol" } }, ["moderation"]],
  [{ moderation: {} }, ["moderation"]],
  [{ billing_policy: { type: "billing_policy", bill_to: "user_profile" } }, ["billing_policy"]],
  [{ billing_policy: "user_profile" }, ["billing_policy"]],
  [{ prompt_cache_options: { ttl: "12h" } }, ["prompt_cache_options"]],
  [{ prompt_cache_options: "12h" }, ["prompt_cache_options"]],
  [
    { tools: [{ enterpriseWebSearch: { apiKey: "of the client" } }] },
    ["tools.enterpriseWebSearch"],
  ],
  [{ output_format: "svg" }, ["output_format"]],
  [{ tools: [{ type: "image_generation", output_format: "svg" }] }, ["tools.output_format"]],
  [{ tools: [{ enterpriseWebSearch: {} }] }, ["tools.enterpriseWebSearch"]],
  [
    { tools: [{ googleSearch: {} }, { parallel_ai_search: { customConfigs: {} } }] },
    ["tools.parallel_ai_search"],
  ],
  [{ tools: [{ exaAiSearch: { apiKey: "" } }] }, ["tools.exaAiSearch"]],
  [
    { generationConfig: { routingConfig: { manualMode: { modelName: "dear" } } } },
    ["generationConfig.routingConfig"],
  ],
  [{ generation_config: { model_config: { x: 1 } } }, ["generationConfig.model_config"]],
  [{ tools: [{ type: "openrouter:advisor", parameters: { model: "dear" } }] }, ["tools.model"]],
  [
    {
      tools: [
        { type: "namespace", name: "n", tools: [{ type: "image_generation", model: "dear" }] },
      ],
    },
    ["tools.model"],
  ],
  [{ tools: [{ type: "tool_search", execution: "server", model: "dear" }] }, ["tools.model"]],
  [
    { input: [{ type: "additional_tools", tools: [{ type: "image_generation", model: "dear" }] }] },
    ["tools.model"],
  ],
  [
    { input: [{ type: "additional_tools", tools: [{ enterpriseWebSearch: {} }] }] },
    ["tools.enterpriseWebSearch"],
  ],
])("%j has the members %j that change model or price", (body, expected) => {
  expect(names({ model: "m", ...body })).toEqual(expected);
});

test.each([
  {},
  { models: null, route: null, fallbacks: [], plugins: [], preset: "" },
  { service_tier: "auto" },
  { service_tier: "default" },
  { service_tier: "standard_only" },
  { serviceTier: "SERVICE_TIER_STANDARD" },
  { speed: "standard" },
  { speed: 1.25 },
  { inference_geo: "global" },
  { enable_search: false },
  { search_parameters: { mode: "off" } },
  { provider: { data_collection: "deny", zdr: true } },
  { tools: [{ type: "image_generation" }] },
  { access_programs: { cyber: "standard" } },
  { access_programs: { cyber: null } },
  { moderation: "low" },
  { moderation: { model: "omni-moderation-latest" } },
  { billing_policy: { type: "billing_policy", bill_to: "self" } },
  { billing_policy: { type: "billing_policy" } },
  { prompt_cache_options: { mode: "explicit" } },
  { prompt_cache_options: { ttl: "30m" } },
  { output_format: "webp" },
  { output_format: { type: "json_schema", schema: {} } },
  { tools: [{ type: "image_generation", output_format: "gif" }] },
  { tools: [{ type: "function", name: "f", output_format: "svg" }] },
  {
    tools: [{ googleSearch: {} }, { google_maps: {} }, { urlContext: {} }, { code_execution: {} }],
  },
  {
    tools: [
      { exaAiSearch: { apiKey: "of the client" } },
      { parallelAiSearch: { api_key: "of the client" } },
    ],
  },
  { tools: [{ function: { name: "f" }, cache: {} }] },
  { generationConfig: { temperature: 1, thinkingConfig: {} } },
  { tools: [{ type: "image_generation", model: "m" }] },
  {
    tools: [
      {
        type: "function",
        function: { name: "f", parameters: { properties: { model: { default: "x" } } } },
      },
    ],
  },
  { tools: [{ type: "function", name: "f", parameters: { example: { model: "x" } } }] },
  { tools: [{ type: "custom", name: "f", format: { example: { model: "x" } } }] },
  { tools: [{ function: { name: "f", parameters: { example: { model: "x" } } } }] },
  { tools: [{ name: "f", input_schema: { example: { model: "x" } } }] },
  { tools: [{ functionDeclarations: [{ parameters: { example: { model: "x" } } }] }] },
  { tools: [{ function_declarations: [{ parameters: { example: { model: "x" } } }] }] },
  { tools: [{ type: "namespace", name: "n", tools: [functionNamingModels] }] },
  {
    tools: [
      {
        type: "namespace",
        name: "n",
        tools: [{ type: "namespace", name: "o", tools: [functionNamingModels] }],
      },
    ],
  },
  { input: [{ type: "additional_tools", role: "developer", tools: [functionNamingModels] }] },
  { input: [{ type: "tool_search_output", execution: "client", tools: [functionNamingModels] }] },
  {
    tools: [
      { type: "tool_search", execution: "client", parameters: functionNamingModels.parameters },
    ],
  },
  { tools: [{ type: "web_search", input_schema: { properties: { model: { default: "x" } } } }] },
  { tools: [{ type: "web_search", format: { example: { model: "x" } } }] },
  {
    tools: [
      {
        type: "web_search",
        parameters: { type: "object", properties: { model: { type: "string" } } },
      },
    ],
  },
  {
    tools: [
      {
        name: "f",
        parametersJsonSchema: { properties: { model: { type: "string" } } },
        type: "mcp_proxy",
      },
    ],
  },
  { tools: [{ type: "x_tool", outputSchema: { properties: { model: { type: "string" } } } }] },
  { undefined: "priority" },
  { tools: "none" },
  { tools: [null, "none", 3, { type: "image_generation", model: null }] },
])("%j costs what it costs without them", (body) => {
  expect(findCostMembers({ model: "m", ...body })).toBeUndefined();
});

test("a model that a router of Vertex AI is told is one of those that the key must be allowed to use", {
  tags: ["S2-08"],
}, () => {
  const configs = [
    { routingConfig: { manualMode: { modelName: "dear" } } },
    { routing_config: { manual_mode: { model_name: "dear" } } },
  ];
  for (const generationConfig of configs)
    expect(findCostMembers({ generationConfig })?.models).toEqual(["dear"]);
});

test("every model that these members and hosted tools name is listed, once", {
  tags: ["S2-08"],
}, () => {
  const body = {
    model: "m",
    models: ["a", "b"],
    fallbacks: [{ model: "c" }, "a", { m: ["d", null, 3] }],
    plugins: [{ id: "fusion", model: "e", nested: { models: ["f"] } }],
    web_search_options: { filters: null, model: "g" },
    tools: [{ type: "image_generation", mask: null, model: "h" }],
  };
  expect(findCostMembers(body)?.models).toEqual(["a", "b", "c", "d", "e", "f", "g", "h"]);
});

test("the word of a tier is read in any spelling", () => {
  expect(findCostMembers({ service_tier: "Priority" })?.members).toEqual([
    { name: "service_tier", value: "priority" },
  ]);
  expect(findCostMembers({ service_tier: { a: 1 } })?.members).toEqual([
    { name: "service_tier", value: undefined },
  ]);
});

test.each([null, "text", 3, [], [1]])("%j is no object and has none", (json) => {
  expect(findCostMembers(json)).toBeUndefined();
});
