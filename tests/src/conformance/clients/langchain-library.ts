// LangChain, by its packages for OpenAI, Anthropic and Google.
import { ChatAnthropic } from "@langchain/anthropic";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import {
  type AIMessage,
  type AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type UsageMetadata,
} from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";
import { ChatOpenAI } from "@langchain/openai";
import {
  type ConformanceFeature,
  type ConversationEndpoint,
  citySchema,
  type GatewayAccess,
  imageBase64,
  joinText,
  type LibraryClient,
  type LibraryReply,
  type LibraryRequest,
  prompt,
  toolDefinitions,
  toolResultText,
} from "../conversation-scenario.ts";

interface LangchainLibrary {
  entry: ConversationEndpoint;
  cannot: LibraryClient["cannot"];
  model(access: GatewayAccess, name: string, thinks: boolean): BaseChatModel;
  /** `counts` says whether its count of tokens is the provider's. */
  counts?(ask: LibraryRequest): boolean;
  /** `options` are what it is sent with the tools. */
  options?: object;
}

const bound = toolDefinitions.map(({ name, description, schema }) =>
  tool(() => "", { name, description, schema }),
);

const clientOf = ({
  entry,
  cannot,
  model,
  counts = () => true,
  options,
}: LangchainLibrary): LibraryClient => ({
  library: "langchain",
  entry,
  cannot,
  connect: (access) => async (ask) => {
    const messages = messagesOf(ask);
    const plain = model(access, ask.model, ask.uses === "thinking");
    if (ask.uses === "structure") return await structured(plain, messages);
    const asked =
      ask.uses === "tools" || ask.uses === "thinking" ? plain.bindTools?.(bound, options) : plain;
    if (!asked) throw new Error("no tools can be bound");
    const answer = saidIn(
      ask.isStream ? await streamed(asked, messages) : await asked.invoke(messages),
      messages,
    );
    return counts(ask) ? answer : { ...answer, tokens: undefined };
  },
});

type LangchainRunnable = ReturnType<NonNullable<BaseChatModel["bindTools"]>>;

async function streamed(
  asked: LangchainRunnable,
  messages: BaseMessage[],
): Promise<AIMessageChunk> {
  let whole: AIMessageChunk | undefined;
  for await (const chunk of await asked.stream(messages)) whole = whole?.concat(chunk) ?? chunk;
  if (!whole) throw new Error("nothing was streamed");
  return whole;
}

async function structured(model: BaseChatModel, messages: BaseMessage[]): Promise<LibraryReply> {
  const asked = model.withStructuredOutput(citySchema, {
    name: "city",
    method: "jsonSchema",
    includeRaw: true,
  });
  const { raw, parsed } = await asked.invoke(messages);
  return { ...saidIn(raw as AIMessage, messages), text: JSON.stringify(parsed) };
}

function messagesOf({ uses, after }: LibraryRequest): BaseMessage[] {
  if (after) {
    const toolMessages = after.calls.map(
      ({ id, name }) => new ToolMessage({ tool_call_id: id, name, content: toolResultText(name) }),
    );
    return [...(after.turn as BaseMessage[]), ...toolMessages];
  }
  const content = [
    { type: "text", text: prompt },
    { type: "image_url", image_url: { url: `data:image/png;base64,${imageBase64}` } },
  ];
  return [
    new SystemMessage("Be brief."),
    new HumanMessage(uses === "picture" ? { content } : prompt),
  ];
}

function saidIn(message: AIMessage | AIMessageChunk, messages: BaseMessage[]): LibraryReply {
  const blocks = message.contentBlocks;
  const { response_metadata: metadata, additional_kwargs } = message;
  const usage = message.usage_metadata as UsageMetadata | undefined;
  const reason =
    metadata.finish_reason ??
    metadata.finishReason ??
    metadata.stop_reason ??
    additional_kwargs.stop_reason;
  const incomplete = (metadata.incomplete_details as { reason?: string } | null | undefined)
    ?.reason;
  return {
    text: joinText([message.text, (additional_kwargs.refusal as string | undefined) ?? ""]),
    thought: joinText(blocks.map(thoughtIn)),
    calls: (message.tool_calls ?? []).map(({ id, name, args }) => ({
      id: id ?? "",
      name,
      input: args,
    })),
    tokens: usage && {
      input: usage.input_tokens,
      output: usage.output_tokens ?? 0,
      cached: usage.input_token_details?.cache_read ?? 0,
    },
    finish: String(incomplete ?? reason ?? metadata.status ?? ""),
    turn: [...messages, message],
  };
}

/** Each package calls thoughts by its own name. */
function thoughtIn(block: {
  type: string;
  reasoning?: unknown;
  thinking?: unknown;
  value?: unknown;
}): string {
  if (block.type === "reasoning") return String(block.reasoning);
  const { thinking } = (block.type === "non_standard" ? block.value : block) as {
    thinking?: unknown;
  };
  return typeof thinking === "string" ? thinking : "";
}

const chatLacks: Partial<Record<ConformanceFeature, string>> = {
  thinking: "it sends no thoughts back there",
  signatures: "it sends no thoughts back there",
  refusal: "it leaves refusals out",
};

export const langchainOpenaiChat = clientOf({
  entry: "Chat Completions",
  cannot: (feature) => chatLacks[feature],
  model: ({ url, key }, model) =>
    new ChatOpenAI({
      model,
      apiKey: key,
      maxRetries: 0,
      useResponsesApi: false,
      streamUsage: true,
      configuration: { baseURL: `${url}/v1` },
    }),
});

export const langchainOpenaiResponses = clientOf({
  entry: "Responses",
  cannot: () => undefined,
  options: { include: ["reasoning.encrypted_content"] },
  model: ({ url, key }, model, thinks) =>
    new ChatOpenAI({
      model,
      apiKey: key,
      maxRetries: 0,
      useResponsesApi: true,
      zdrEnabled: true,
      configuration: { baseURL: `${url}/v1` },
      ...(thinks && { reasoning: { effort: "medium" as const, summary: "auto" as const } }),
    }),
});

/** The library knows which models refuse a budget. */
const thinkingOf = (model: string) =>
  model.startsWith("claude-sonnet-5")
    ? { type: "adaptive" as const }
    : { type: "enabled" as const, budget_tokens: 2_048 };

export const langchainAnthropic = clientOf({
  entry: "Messages",
  cannot: () => undefined,
  // It adds what the first event of a stream counts to what the last but one does, and takes the
  // prompt from the first.
  counts: ({ isStream }) => !isStream,
  model: ({ url, key }, model, thinks) =>
    new ChatAnthropic({
      model,
      apiKey: key,
      maxRetries: 0,
      maxTokens: 4_096,
      anthropicApiUrl: url,
      ...(thinks && { thinking: thinkingOf(model) }),
    }),
});

export const langchainGoogle = clientOf({
  entry: "Gemini",
  cannot(feature, model) {
    if (feature === "refusal") return "it makes nothing of a prompt that was blocked";
    if (feature === "vision" && !model.startsWith("gemini"))
      return "it shows pictures to models named gemini alone";
    return undefined;
  },
  counts: ({ uses }) => uses !== "thinking",
  model: ({ url, key }, model, thinks) =>
    new ChatGoogleGenerativeAI({
      model,
      apiKey: key,
      maxRetries: 0,
      baseUrl: url,
      ...(thinks && { thinkingConfig: { includeThoughts: true } }),
    }),
});
