// Conversations: every official library by every interface over every provider.
import { beforeAll, describe, expect } from "vitest";
import {
  aiAnthropic,
  aiGoogle,
  aiOpenaiChat,
  aiOpenaiResponses,
} from "./clients/ai-sdk-library.ts";
import { anthropicMessages } from "./clients/anthropic-library.ts";
import { googleGemini } from "./clients/google-library.ts";
import {
  langchainAnthropic,
  langchainGoogle,
  langchainOpenaiChat,
  langchainOpenaiResponses,
} from "./clients/langchain-library.ts";
import { openaiChat, openaiResponses } from "./clients/openai-library.ts";
import type { ConformanceGateway } from "./conformance-gateway.ts";
import type { ConformanceGrid } from "./conformance-grid.ts";
import {
  answerText,
  type ConformanceFeature,
  type ConversationEndpoint,
  city,
  citySchema,
  conformanceFeatures,
  conversationEndpoints,
  expectedToolCalls,
  imageBase64,
  type LibraryClient,
  type LibraryReply,
  type LibraryRequest,
  reasoningText,
  refusal,
  type ScenarioName,
  type SendLibraryRequest,
  scenarioUsage,
  toolResults,
  truncatedText,
} from "./conversation-scenario.ts";
import { type ProviderFamily, providerFamilies } from "./provider-families.ts";
import { type ProviderWire, streamOf, wholeOf } from "./provider-wires.ts";
import type { ScriptedReply } from "./scripted-provider.ts";

const libraryClients: readonly LibraryClient[] = [
  openaiChat,
  aiOpenaiChat,
  langchainOpenaiChat,
  openaiResponses,
  aiOpenaiResponses,
  langchainOpenaiResponses,
  anthropicMessages,
  aiAnthropic,
  langchainAnthropic,
  googleGemini,
  aiGoogle,
  langchainGoogle,
];

const scenarioReply =
  (wire: ProviderWire, scenario: ScenarioName): ScriptedReply =>
  (asked) =>
    wire.isStream(asked) ? streamOf(wire, scenario) : wholeOf(wire, scenario);
const replyModes = [
  ["whole", false],
  ["streamed", true],
] as const;

interface ConversationCase {
  stage: ConformanceGateway;
  say: SendLibraryRequest;
  entry: ConversationEndpoint;
  family: ProviderFamily;
  wire: ProviderWire;
}

async function runScenario(
  { stage: { upstream }, say: ask, family, wire }: ConversationCase,
  scenario: ScenarioName,
  request: Omit<LibraryRequest, "model">,
): Promise<LibraryReply> {
  upstream.play(scenarioReply(wire, scenario));
  const reply = await ask({ model: family.model, ...request });
  expect(upstream.requests, "the provider is asked once").toHaveLength(1);
  const tokens = wire.tokens?.[scenario] ?? scenarioUsage[scenario];
  // Some libraries count streams in a way of their own, and some providers nothing.
  if (reply.tokens && !wire.countsNothing) expect(reply.tokens).toEqual(tokens);
  return reply;
}
const lastRequestBody = ({ stage: gateway }: ConversationCase) =>
  gateway.upstream.requests.at(-1)?.body;
/** Compared by content: wires and libraries word them differently. */
const toolResultsSent = (one: ConversationCase) =>
  one.wire.results(lastRequestBody(one)).map(unwrapToolResult);

function unwrapToolResult(text: string): unknown {
  const reply = JSON.parse(text) as { content?: object; result?: string };
  if (reply.result !== undefined) return unwrapToolResult(reply.result);
  return reply.content ?? reply;
}

const featureChecks: Record<ConformanceFeature, (one: ConversationCase) => Promise<void>> = {
  async chat(one) {
    const reply = await runScenario(one, "words", { isStream: false });
    expect(reply).toMatchObject({ text: answerText, calls: [] });
    expect(reply.tokens).toBeDefined();
  },

  async stream(one) {
    const reply = await runScenario(one, "words", { isStream: true });
    expect(reply).toMatchObject({ text: answerText, calls: [] });
  },

  async tools(one) {
    for (const [, isStream] of replyModes) {
      const first = await runScenario(one, "tools", { isStream, uses: "tools" });
      expect(one.wire.toolNames(lastRequestBody(one))).toEqual(["get_weather", "get_time"]);
      expect(first.calls.map(({ name, input }) => ({ name, input }))).toEqual(expectedToolCalls);
      const last = await runScenario(one, "words", { isStream, uses: "tools", after: first });
      expect(toolResultsSent(one)).toEqual([toolResults.get_weather, toolResults.get_time]);
      expect(last).toMatchObject({ text: answerText, calls: [] });
    }
  },

  async structure(one) {
    const reply = await runScenario(one, "structured", { isStream: false, uses: "structure" });
    expect(one.wire.schema(lastRequestBody(one))).toMatchObject({
      properties: citySchema.properties,
    });
    expect(JSON.parse(reply.text)).toEqual(city);
  },

  async vision(one) {
    const reply = await runScenario(one, "words", { isStream: false, uses: "picture" });
    expect(one.wire.pictures(lastRequestBody(one))).toEqual([imageBase64]);
    expect(reply.text).toBe(answerText);
  },

  async thinking(one) {
    for (const [, isStream] of replyModes) {
      const first = await runScenario(one, "thinking", { isStream, uses: "thinking" });
      expect(first.thought).toBe(reasoningText);
      expect(first.calls.map(({ name, input }) => ({ name, input }))).toEqual(
        expectedToolCalls.slice(0, 1),
      );
      const last = await runScenario(one, "words", { isStream, uses: "thinking", after: first });
      expect(toolResultsSent(one)).toEqual([toolResults.get_weather]);
      expect(last.text).toBe(answerText);
    }
  },

  async signatures(one) {
    for (const [, isStream] of replyModes) {
      const first = await runScenario(one, "thinking", { isStream, uses: "thinking" });
      await runScenario(one, "words", { isStream, uses: "thinking", after: first });
      expect(one.wire.signatures(lastRequestBody(one))).toEqual([one.wire.signature]);
    }
  },

  async cache(one) {
    for (const [, isStream] of replyModes) {
      const reply = await runScenario(one, "cached", { isStream });
      if (!isStream) expect(reply.tokens).toEqual(scenarioUsage.cached);
    }
  },

  async refusal(one) {
    for (const [, isStream] of replyModes) {
      const reply = await runScenario(one, "refusal", { isStream }).catch(
        (error: unknown) => error as Error,
      );
      if (reply instanceof Error) expect(reply.message).toMatch(/filter|refus|block/i);
      else
        expect(
          reply.text === refusal || /filter|refus|safety|block|prohibited/i.test(reply.finish),
        ).toBe(true);
    }
  },

  async length(one) {
    for (const [, isStream] of replyModes) {
      const reply = await runScenario(one, "length", { isStream });
      expect(reply.text).toBe(truncatedText);
      expect(reply.finish).toMatch(/length|max_?(output_)?tokens/i);
    }
  },
};

const lostSignatures = "Signatures do not survive this translation (docs/translations.md).";

/**
 * `missingSignatureReason` says why no signature comes back to a family's provider by an entry;
 * undefined where one does.
 */
function missingSignatureReason(
  { keepsSignatures, wire, lacks }: ProviderFamily,
  endpoint: ConversationEndpoint,
): string | undefined {
  if (keepsSignatures.includes(endpoint)) return undefined;
  return (
    lacks?.signatures ??
    (wire[endpoint].signature === undefined ? "The provider signs nothing." : lostSignatures)
  );
}

/**
 * A family that differs only in addresses and logins is called by one library of each interface:
 * the others do alike.
 */
function clientsFor({ isAnotherAddress }: ProviderFamily): readonly LibraryClient[] {
  if (!isAnotherAddress) return libraryClients;
  return conversationEndpoints.flatMap((endpoint) =>
    libraryClients.filter((client) => client.entry === endpoint).slice(0, 1),
  );
}

export function testConversations(grid: ConformanceGrid, gateway: ConformanceGateway): void {
  for (const family of providerFamilies) {
    describe(`conversations over ${family.name}`, () => {
      beforeAll(async () => {
        await gateway.channel(family, [family.model]);
      });
      for (const client of clientsFor(family)) {
        for (const column of conformanceFeatures)
          testConversation(grid, gateway, { family, client, column });
      }
    });
  }
}

interface ConversationCell {
  family: ProviderFamily;
  client: LibraryClient;
  column: ConformanceFeature;
}

function testConversation(
  grid: ConformanceGrid,
  gateway: ConformanceGateway,
  { family, client, column }: ConversationCell,
): void {
  const { entry: endpoint, library, cannot, connect } = client;
  const wire = family.wire[endpoint];
  const cell = { table: endpoint, row: family.name, column };
  const run = (check: (one: ConversationCase) => Promise<void>) => () =>
    check({ stage: gateway, say: connect(gateway.access), entry: endpoint, family, wire });
  const unsigned = column === "signatures" ? missingSignatureReason(family, endpoint) : undefined;
  const reason = unsigned ?? family.lacks?.[column];
  const lack = cannot(column, family.model);
  // A dropped signature is tested as well, so that the page changes when it is no longer dropped.
  if (unsigned && wire.signature && !lack)
    grid.lacks(cell, unsigned, `none by ${library}`, run(checkNoSignatures));
  else if (reason) grid.cannot(cell, reason);
  else if (lack) grid.cannot(cell, `${lack}.`, library);
  else grid.test(cell, library, run(featureChecks[column]));
}

async function checkNoSignatures(one: ConversationCase): Promise<void> {
  const first = await runScenario(one, "thinking", { isStream: false, uses: "thinking" });
  await runScenario(one, "words", { isStream: false, uses: "thinking", after: first });
  expect(one.wire.signatures(lastRequestBody(one))).not.toContain(one.wire.signature);
}
