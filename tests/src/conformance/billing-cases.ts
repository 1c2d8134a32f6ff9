/**
 * The charge of each answer: by the provider's own count, and the same whether it was streamed or
 * not. And whether each stream keeps the grammar of its endpoint.
 */
import { beforeAll, describe, expect } from "vitest";
import type { ConformanceGateway } from "./conformance-gateway.ts";
import type { ConformanceGrid } from "./conformance-grid.ts";
import {
  answerText,
  type ConformanceFeature,
  type ConversationEndpoint,
  city,
  conversationEndpoints,
  expectedToolCalls,
  reasoningText,
  type ScenarioName,
  scenarioUsage,
  truncatedText,
} from "./conversation-scenario.ts";
import { sendRaw } from "./endpoint-requests.ts";
import { type ProviderFamily, providerFamilies } from "./provider-families.ts";
import { streamOf, wholeOf } from "./provider-wires.ts";
import { grammarReaders } from "./stream-grammar.ts";

const featureOfScenario: Readonly<Record<ScenarioName, ConformanceFeature>> = {
  words: "chat",
  tools: "tools",
  structured: "structure",
  thinking: "thinking",
  cached: "cache",
  refusal: "refusal",
  length: "length",
};
const scenariosOf = ({ lacks = {} }: ProviderFamily): ScenarioName[] =>
  (Object.keys(featureOfScenario) as ScenarioName[]).filter(
    (scenario) => lacks[featureOfScenario[scenario]] === undefined,
  );

/** Answer tokens cost four times as much as those of the prompt in all channels of these tests. */
const outputRatio = 4;

const modelFor = ({ model }: ProviderFamily, endpoint: ConversationEndpoint): string =>
  `${model}-bill-${endpoint.replace(" ", "-")}`;

/** The streams that clients read in each scenario, for the grammar checks. */
const streams = new Map<string, string>();
const streamKey = (
  { name }: ProviderFamily,
  endpoint: ConversationEndpoint,
  scenario: ScenarioName,
): string => `${name} ${endpoint} ${scenario}`;

/** The text of the streams of these scenarios. */
const expectedTexts: Partial<Record<ScenarioName, string>> = {
  words: answerText,
  structured: JSON.stringify(city),
  length: truncatedText,
};

function checkGrammar(family: ProviderFamily, endpoint: ConversationEndpoint): void {
  for (const scenario of scenariosOf(family)) {
    const parsed = grammarReaders[endpoint](
      streams.get(streamKey(family, endpoint, scenario)) ?? "",
    );
    const expectedText = expectedTexts[scenario];
    if (expectedText !== undefined) expect(parsed.text, scenario).toBe(expectedText);
    if (scenario === "thinking") expect(parsed.thought).toBe(reasoningText);
    if (scenario !== "tools") continue;
    expect(
      parsed.calls.map(({ name, input }) => ({ name, input: JSON.parse(input) as unknown })),
    ).toEqual(expectedToolCalls);
  }
}

async function checkBilling(
  gateway: ConformanceGateway,
  family: ProviderFamily,
  endpoint: ConversationEndpoint,
): Promise<void> {
  const model = modelFor(family, endpoint);
  const wire = family.wire[endpoint];
  const scenarios = scenariosOf(family);
  const { upstream, access } = gateway;
  for (const scenario of scenarios) {
    for (const isStream of [false, true]) {
      upstream.play((request) =>
        wire.isStream(request) ? streamOf(wire, scenario) : wholeOf(wire, scenario),
      );
      const { text } = await sendRaw(access, endpoint, model, isStream);
      if (isStream) streams.set(streamKey(family, endpoint, scenario), text);
    }
  }
  const rows = await gateway.logged([model]);
  expect(rows).toHaveLength(2 * scenarios.length);
  for (const [at, scenario] of scenarios.entries()) {
    const [whole, streamed] = rows.slice(2 * at, 2 * at + 2).map((row) => ({
      outcome: row.outcome,
      input: row.prompt_tokens,
      output: row.completion_tokens,
      cached: row.cached_prompt_tokens,
      written: row.cache_write_5m_tokens,
      quota: row.quota,
      content: row.content,
    }));
    expect(streamed, scenario).toEqual(whole);
    const tokens = wire.tokens?.[scenario] ?? scenarioUsage[scenario];
    const written = scenario === "cached" ? (wire.writesToCache ?? 0) : 0;
    if (wire.countsNothing) expect(whole?.output, scenario).toBeGreaterThan(0);
    else
      expect(whole, scenario).toMatchObject({
        outcome: "success",
        ...tokens,
        written,
        content: "",
      });
    if (tokens.cached === 0 && !wire.countsNothing)
      expect(whole?.quota, scenario).toBe(tokens.input + outputRatio * tokens.output);
  }
}

export function testBilling(grid: ConformanceGrid, gateway: ConformanceGateway): void {
  for (const family of providerFamilies) {
    describe(`bills over ${family.name}`, () => {
      beforeAll(async () => {
        await gateway.channel(
          family,
          conversationEndpoints.map((endpoint) => modelFor(family, endpoint)),
        );
      });
      for (const endpoint of conversationEndpoints) {
        const cell = { table: endpoint, row: family.name, column: "bill" };
        grid.test(cell, "", () => checkBilling(gateway, family, endpoint));
        grid.test({ ...cell, column: "grammar" }, "", async () => checkGrammar(family, endpoint));
      }
    });
  }
}
