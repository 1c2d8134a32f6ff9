/** A provider of each format whose models answer what their names say, and a gateway before it. */
import {
  type ConversationEndpoint,
  conversationEndpoints,
} from "../conformance/conversation-scenario.ts";
import {
  anthropicWire,
  geminiWire,
  openaiChatWire,
  openaiResponsesWire,
  type ProviderWire,
} from "../conformance/provider-wires.ts";
import {
  type PausedReply,
  type ScriptedProvider,
  type ScriptedRequest,
  startScriptedProvider,
} from "../conformance/scripted-provider.ts";
import { completeReply, type FixtureReply } from "../conformance/wire-fixtures.ts";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";

export const playedWires: Readonly<Record<ConversationEndpoint, ProviderWire>> = {
  "Chat Completions": openaiChatWire,
  Responses: openaiResponsesWire,
  Messages: anthropicWire,
  Gemini: geminiWire,
};
const channelTypes: Readonly<Record<ConversationEndpoint, object>> = {
  "Chat Completions": { type: 50 },
  Responses: { type: 50, config: JSON.stringify({ api_format: "response" }) },
  Messages: { type: 14 },
  Gemini: { type: 24 },
};

/** A model's name says what it answers, and in which format. */
export const playedModel = (played: string, spoken: ConversationEndpoint): string =>
  `${played}.${playedWires[spoken].name}`;

/** `PlayedAnswer` is what a provider of this format answers where a model of this name is asked. */
type PlayedAnswer = (
  played: string,
  wire: ProviderWire,
  asked: ScriptedRequest,
) => FixtureReply | PausedReply;

export interface PlayedGateway {
  upstream: ScriptedProvider;
  gateway: TestGateway;
  key: string;
  close(): Promise<void>;
}

export async function startPlayedGateway(
  names: readonly string[],
  answer: PlayedAnswer,
): Promise<PlayedGateway> {
  const models = new Map(
    conversationEndpoints.flatMap((spoken) =>
      names.map(
        (played) => [playedModel(played, spoken), { played, wire: playedWires[spoken] }] as const,
      ),
    ),
  );
  const upstream = await startScriptedProvider();
  upstream.setDefault((asked) => {
    const text =
      typeof asked.body?.model === "string" ? asked.body.model : decodeURIComponent(asked.url);
    const found = [...models].find(([name]) => text.includes(name))?.[1];
    return found
      ? answer(found.played, found.wire, asked)
      : completeReply("openai-chat", "error-400");
  });
  const gateway = await startTestGateway({ upstreams: [upstream.url] });
  for (const spoken of conversationEndpoints) {
    const served = names.map((played) => playedModel(played, spoken)).join();
    const base_url = upstream.url;
    await gateway.given.channel({
      key: "k-provider",
      base_url,
      models: served,
      ...channelTypes[spoken],
    });
  }
  const { key } = await gateway.given.token();
  return {
    upstream,
    gateway,
    key,
    async close() {
      await gateway.close();
      await upstream.close();
    },
  };
}
