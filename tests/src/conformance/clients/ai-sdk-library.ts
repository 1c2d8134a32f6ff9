// The AI SDK, by its providers for OpenAI, Anthropic and Google.
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import {
  generateText,
  jsonSchema,
  type LanguageModel,
  type ModelMessage,
  Output,
  streamText,
  type ToolSet,
  tool,
} from "ai";
import {
  type ConformanceFeature,
  type ConversationEndpoint,
  citySchema,
  type GatewayAccess,
  imageBase64,
  type LibraryClient,
  type LibraryReply,
  type LibraryRequest,
  prompt,
  toolDefinitions,
  toolResults,
} from "../conversation-scenario.ts";

type AiSdkProviderOptions = NonNullable<Parameters<typeof generateText>[0]["providerOptions"]>;

interface AiSdkLibrary {
  library: string;
  entry: ConversationEndpoint;
  cannot: LibraryClient["cannot"];
  models(access: GatewayAccess): (name: string) => LanguageModel;
  options(uses: LibraryRequest["uses"]): AiSdkProviderOptions;
}

const toolSet: ToolSet = Object.fromEntries(
  toolDefinitions.map(({ name, description, schema }) => [
    name,
    tool({ description, inputSchema: jsonSchema<Record<string, unknown>>(schema) }),
  ]),
);

const clientOf = ({ library, entry, cannot, models, options }: AiSdkLibrary): LibraryClient => ({
  library,
  entry,
  cannot,
  connect: (access) => async (ask) => {
    const messages = messagesOf(ask);
    const asked = {
      model: models(access)(ask.model),
      maxRetries: 0,
      system: "Be brief.",
      messages,
      ...(ask.uses === "tools" || ask.uses === "thinking" ? { tools: toolSet } : {}),
      ...(ask.uses === "structure"
        ? { output: Output.object({ schema: jsonSchema(citySchema) }) }
        : {}),
      providerOptions: options(ask.uses),
    };
    return ask.isStream
      ? await streamed(asked, messages)
      : whole(await generateText(asked), messages);
  },
});

type AiSdkRequest = Parameters<typeof generateText>[0];
type AiSdkResult = Pick<
  Awaited<ReturnType<typeof generateText>>,
  | "text"
  | "reasoningText"
  | "toolCalls"
  | "usage"
  | "rawFinishReason"
  | "finishReason"
  | "responseMessages"
>;

async function streamed(asked: AiSdkRequest, messages: ModelMessage[]): Promise<LibraryReply> {
  let failure: unknown;
  const onError = ({ error }: { error: unknown }) => {
    failure = error;
  };
  const result = streamText({ ...(asked as Parameters<typeof streamText>[0]), onError });
  await result.consumeStream();
  if (failure !== undefined) throw failure;
  const { text, reasoningText, toolCalls, usage, rawFinishReason, finishReason, responseMessages } =
    result;
  const [answerText, thought, calls, used, rawReason, reason, turn] = await Promise.all([
    text,
    reasoningText,
    toolCalls,
    usage,
    rawFinishReason,
    finishReason,
    responseMessages,
  ]);
  const answered = {
    text: answerText,
    reasoningText: thought,
    toolCalls: calls,
    usage: used,
    rawFinishReason: rawReason,
  };
  return whole({ ...answered, finishReason: reason, responseMessages: turn }, messages);
}

function whole(answered: AiSdkResult, messages: ModelMessage[]): LibraryReply {
  const { text, reasoningText, toolCalls, usage, finishReason, responseMessages } = answered;
  return {
    text,
    thought: reasoningText ?? "",
    calls: toolCalls.map(({ toolCallId, toolName, input }) => ({
      id: toolCallId,
      name: toolName,
      input,
    })),
    tokens: {
      input: usage.inputTokens ?? 0,
      output: usage.outputTokens ?? 0,
      cached: usage.inputTokenDetails.cacheReadTokens ?? 0,
    },
    finish: finishReason,
    turn: [...messages, ...responseMessages],
  };
}

function messagesOf({ uses, after }: LibraryRequest): ModelMessage[] {
  if (after) {
    const content = after.calls.map(({ id, name }) => ({
      type: "tool-result" as const,
      toolCallId: id,
      toolName: name,
      output: { type: "json" as const, value: { ...toolResults[name] } },
    }));
    return [...(after.turn as ModelMessage[]), { role: "tool", content }];
  }
  const shown = { type: "file" as const, data: imageBase64, mediaType: "image/png" };
  return [
    {
      role: "user",
      content: [{ type: "text", text: prompt }, ...(uses === "picture" ? [shown] : [])],
    },
  ];
}

const chatLacks: Partial<Record<ConformanceFeature, string>> = {
  thinking: "it knows no thoughts there",
  signatures: "it knows no thoughts there",
  refusal: "it leaves refusals out",
};

export const aiOpenaiChat = clientOf({
  library: "ai",
  entry: "Chat Completions",
  cannot: (feature) => chatLacks[feature],
  models: ({ url, key }) => createOpenAI({ baseURL: `${url}/v1`, apiKey: key }).chat,
  options: () => ({}),
});

export const aiOpenaiResponses = clientOf({
  library: "ai",
  entry: "Responses",
  cannot: () => undefined,
  models: ({ url, key }) => createOpenAI({ baseURL: `${url}/v1`, apiKey: key }).responses,
  options: () => ({
    openai: {
      store: false,
      reasoningSummary: "auto",
      forceReasoning: true,
      include: ["reasoning.encrypted_content"],
    },
  }),
});

export const aiAnthropic = clientOf({
  library: "ai",
  entry: "Messages",
  cannot: () => undefined,
  models: ({ url, key }) => createAnthropic({ baseURL: `${url}/v1`, apiKey: key }),
  options: (uses) => ({
    anthropic: {
      // Left to itself it asks models that it does not know for a tool call in place of structure.
      structuredOutputMode: "outputFormat",
      ...(uses === "thinking" && { thinking: { type: "enabled", budgetTokens: 2_048 } }),
    },
  }),
});

export const aiGoogle = clientOf({
  library: "ai",
  entry: "Gemini",
  cannot: () => undefined,
  models: ({ url, key }) => createGoogle({ baseURL: `${url}/v1beta`, apiKey: key }),
  options: (uses) => ({
    google: uses === "thinking" ? { thinkingConfig: { includeThoughts: true } } : {},
  }),
});
