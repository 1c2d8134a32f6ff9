// How providers are called and answer: what stands where in a request, so that tests find it in
// each wire format, and in what form their streams come.

import type { ApiEndpoint } from "@tollgate/gateway/relay/formats/api-format.ts";
import { converseEvents, invokeEvents } from "@tollgate/gateway/relay/providers/bedrock-events.ts";
import type { StreamFraming } from "@tollgate/gateway/relay/wire/stream-splitter.ts";
import { awsMessage, converseMessages, invokeMessages } from "../support/bedrock-fixture.ts";
import type { ScenarioName, ScenarioUsage } from "./conversation-scenario.ts";
import type { ScriptedRequest } from "./scripted-provider.ts";
import { dataOf as eventsOf } from "./stream-grammar.ts";
import { completeReply, type FixtureReply, frames, streamedReply } from "./wire-fixtures.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests read requests of every structure
type WireBody = any;
type WireBodies = readonly WireBody[];

export interface ProviderWire {
  /** The folder of its fixtures. */
  name: string;
  /** The gateway's own name of it. */
  speaks: ApiEndpoint;
  /** The folder of its errors, if it is another's. */
  errors?: string;
  /** Its streams, where they are no files of server-sent events. */
  stream?(scenario: string): FixtureReply;
  framing?: StreamFraming;
  /** The provider has no streams: what its clients get as one is its whole answer. */
  isOneEvent?: true;
  /** The provider reports no tokens. */
  countsNothing?: true;
  isStream(asked: ScriptedRequest): boolean;
  /** Base64 of the pictures in a request. */
  pictures(body: WireBody): string[];
  toolNames(body: WireBody): string[];
  /** The results of tools, in order. */
  results(body: WireBody): string[];
  /** Signatures or sealed thoughts that came back. */
  signatures(body: WireBody): string[];
  /** The fixture of vectors, if it has another name. */
  vectors?: string;
  /** `signature` is what thoughts are signed with in its fixture. */
  signature?: string;
  /** The schema that the answer has to follow. */
  schema(body: WireBody): WireBody;
  /** Tokens that its fixture of a cache writes there. */
  writesToCache?: number;
  /** `tokens` are where its fixtures count otherwise than the rest. */
  tokens?: Partial<Record<ScenarioName, ScenarioUsage>>;
}

export const wholeOf = ({ name }: ProviderWire, scenario: string): FixtureReply =>
  completeReply(name, scenario);
export const errorOf = ({ name, errors = name }: ProviderWire, status: number): FixtureReply =>
  completeReply(errors, `error-${status}`);
export const streamOf = (
  { name, stream, isOneEvent }: ProviderWire,
  scenario: string,
): FixtureReply => {
  if (isOneEvent) return completeReply(name, scenario);
  return stream?.(scenario) ?? streamedReply(name, scenario);
};

const list = (value: WireBody): WireBodies => (Array.isArray(value) ? value : []);
const inline = /^data:image\/png;base64,(.*)$/;
const dataOf = (url: unknown): string[] => {
  const [, data] = inline.exec(typeof url === "string" ? url : "") ?? [];
  return data === undefined ? [] : [data];
};
const strings = (values: WireBodies): string[] =>
  values.filter((value) => typeof value === "string");
const contentText = (content: WireBody): string =>
  typeof content === "string"
    ? content
    : list(content)
        .map(({ text }: WireBody) => text)
        .join("");

export const openaiChatWire: ProviderWire = {
  name: "openai-chat",
  speaks: "chat_completions",
  isStream: ({ body }) => body.stream === true,
  pictures: ({ messages }) =>
    list(messages).flatMap(({ content }) =>
      list(content).flatMap((part) => dataOf(part.image_url?.url)),
    ),
  toolNames: ({ tools }) => list(tools).map((tool) => tool.function.name),
  results: ({ messages }) =>
    list(messages)
      .filter(({ role }) => role === "tool")
      .map(({ content }) => contentText(content)),
  signatures: () => [],
  schema: ({ response_format }) => response_format?.json_schema?.schema,
};

export const openaiResponsesWire: ProviderWire = {
  name: "openai-responses",
  speaks: "response_api",
  errors: "openai-chat",
  signature: "gAAAAABpc2lnbmVkLXRob3VnaHQ=",
  isStream: ({ body }) => body.stream === true,
  pictures: ({ input }) =>
    list(input).flatMap(({ content }) => list(content).flatMap((part) => dataOf(part.image_url))),
  toolNames: ({ tools }) => list(tools).map(({ name }) => name),
  results: ({ input }) =>
    list(input)
      .filter(({ type }) => type === "function_call_output")
      .map(({ output }) => contentText(output)),
  signatures: ({ input }) => strings(list(input).map(({ encrypted_content }) => encrypted_content)),
  schema: ({ text }) => text?.format?.schema,
};

const blocksOf = ({ messages }: WireBody): WireBodies =>
  list(messages).flatMap(({ content }) => list(content));

export const anthropicWire: ProviderWire = {
  name: "anthropic-messages",
  speaks: "claude_messages",
  signature: "EqQBCgIYAhIkc2lnbmVkLXRob3VnaHQ=",
  isStream: ({ body }) => body.stream === true,
  pictures: (body) => strings(blocksOf(body).map(({ source }) => source?.data)),
  toolNames: ({ tools }) => list(tools).map(({ name }) => name),
  results: (body) =>
    blocksOf(body)
      .filter(({ type }) => type === "tool_result")
      .map(({ content }) => contentText(content)),
  signatures: (body) => strings(blocksOf(body).map(({ signature }) => signature)),
  writesToCache: 120,
  schema: ({ output_config, output_format }) => (output_config?.format ?? output_format)?.schema,
};

const partsOf = ({ contents }: WireBody): WireBodies =>
  list(contents).flatMap(({ parts }) => list(parts));

export const geminiWire: ProviderWire = {
  name: "gemini",
  speaks: "gemini",
  signature: "CiQBc2lnbmVkLXRob3VnaHQtb2YtZ2VtaW5p",
  isStream: ({ url }) => url.includes(":streamGenerateContent"),
  pictures: (body) => strings(partsOf(body).map(({ inlineData }) => inlineData?.data)),
  toolNames: ({ tools }) =>
    list(tools).flatMap(({ functionDeclarations }) =>
      list(functionDeclarations).map(({ name }) => name),
    ),
  results: (body) =>
    partsOf(body).flatMap(({ functionResponse }) =>
      functionResponse === undefined ? [] : [JSON.stringify(functionResponse.response)],
    ),
  signatures: (body) => strings(partsOf(body).map(({ thoughtSignature }) => thoughtSignature)),
  schema: ({ generationConfig }) =>
    generationConfig?.responseJsonSchema ?? generationConfig?.responseSchema,
  // A refused prompt is answered by nothing.
  tokens: { refusal: { input: 18, output: 0, cached: 0 } },
};

const hasStreamPath = ({ url }: ScriptedRequest): boolean => /stream/i.test(url);
const frameType = { "content-type": "application/vnd.amazon.eventstream" };

/** Claude by way of Google: Anthropic's format at an address of Google's. */
export const vertexVectorsWire: ProviderWire = { ...geminiWire, vectors: "predictions" };
export const vertexClaudeWire: ProviderWire = { ...anthropicWire, isStream: hasStreamPath };

/** Claude by way of Amazon: Anthropic's events, each in a message of Amazon's own framing. */
export const bedrockClaudeWire: ProviderWire = {
  ...anthropicWire,
  errors: "bedrock-converse",
  isStream: hasStreamPath,
  framing: invokeEvents,
  stream(scenario) {
    const events = eventsOf(streamedReply("anthropic-messages", scenario).bytes.toString());
    const bytes = invokeMessages(...events.map((event) => JSON.parse(event)));
    return { status: 200, headers: frameType, bytes };
  },
};

/** An event whose name begins with this is an exception. */
const exception = "!";
const contentOf = ({ messages }: WireBody): WireBodies =>
  list(messages).flatMap(({ content }) => list(content));

export const bedrockConverseWire: ProviderWire = {
  name: "bedrock-converse",
  speaks: "bedrock_converse",
  isStream: hasStreamPath,
  framing: converseEvents,
  stream(scenario) {
    const messages = frames("bedrock-converse", scenario).map(([type, data]) => {
      if (!type.startsWith(exception)) return converseMessages([type, data]);
      const named = { ":exception-type": type.slice(1), ":message-type": "exception" };
      return awsMessage(named, JSON.stringify(data));
    });
    return { status: 200, headers: frameType, bytes: Buffer.concat(messages) };
  },
  pictures: (body) => strings(contentOf(body).map(({ image }) => image?.source?.bytes)),
  toolNames: ({ toolConfig }) => list(toolConfig?.tools).map(({ toolSpec }) => toolSpec.name),
  results: (body) =>
    contentOf(body).flatMap(({ toolResult }) =>
      list(toolResult?.content).map(({ text, json }) => text ?? JSON.stringify(json)),
    ),
  signatures: (body) =>
    strings(
      contentOf(body).map(({ reasoningContent }) => reasoningContent?.reasoningText?.signature),
    ),
  signature: "c2lnbmVkLXRob3VnaHQtb2Ytbm92YQ==",
  schema({ outputConfig }) {
    const schema = outputConfig?.textFormat?.structure?.jsonSchema?.schema;
    return typeof schema === "string" ? JSON.parse(schema) : schema;
  },
  writesToCache: 120,
};

/** `textOnlyWire` is for protocols that have no place for any of it. */
const textOnlyWire = {
  pictures: () => [],
  toolNames: () => [],
  results: () => [],
  signatures: () => [],
  schema: () => undefined,
};

export const baiduWire: ProviderWire = {
  ...textOnlyWire,
  name: "baidu-chat",
  speaks: "baidu_chat",
  isStream: ({ body }) => body.stream === true,
};

export const tencentWire: ProviderWire = {
  ...textOnlyWire,
  name: "tencent-chat",
  speaks: "tencent_chat",
  isStream: ({ body }) => body.Stream === true,
  pictures: ({ Messages }) =>
    list(Messages).flatMap(({ Contents }) =>
      list(Contents).flatMap(({ ImageUrl }) => dataOf(ImageUrl?.Url)),
    ),
  toolNames: ({ Tools }) => list(Tools).map((tool) => tool.Function.Name),
  results: ({ Messages }) =>
    list(Messages)
      .filter(({ Role }) => Role === "tool")
      .map(({ Content }) => Content),
};

export const cozeWire: ProviderWire = {
  ...textOnlyWire,
  name: "coze-chat",
  speaks: "coze_chat",
  // It is always called for a stream.
  isStream: () => true,
};

export const replicateWire: ProviderWire = {
  ...textOnlyWire,
  name: "replicate",
  speaks: "replicate_prediction",
  isOneEvent: true,
  isStream: () => false,
};

export const deeplWire: ProviderWire = {
  ...textOnlyWire,
  name: "deepl",
  speaks: "deepl_translation",
  isOneEvent: true,
  countsNothing: true,
  isStream: () => false,
};
