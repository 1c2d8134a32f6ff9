// The official library of OpenAI, by both of its interfaces for conversations.
import OpenAI from "openai";
import type { ChatCompletion, ChatCompletionMessageParam } from "openai/resources/chat/completions";
import type { Response, ResponseInputItem } from "openai/resources/responses/responses";
import {
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

const pictureUrl = `data:image/png;base64,${imageBase64}`;
const libraryAt = ({ url, key }: GatewayAccess) =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });

export const openaiChat: LibraryClient = {
  library: "openai",
  entry: "Chat Completions",
  cannot: () => undefined,
  connect(access) {
    const client = libraryAt(access);
    return async (ask) => {
      const messages = chatMessages(ask);
      const asked = {
        model: ask.model,
        messages,
        ...(ask.uses === "tools" || ask.uses === "thinking"
          ? {
              tools: toolDefinitions.map(({ name, description, schema }) => ({
                type: "function" as const,
                function: { name, description, parameters: schema },
              })),
            }
          : {}),
        ...(ask.uses === "structure"
          ? {
              response_format: {
                type: "json_schema" as const,
                json_schema: { name: "city", schema: citySchema, strict: true },
              },
            }
          : {}),
        ...(ask.uses === "thinking" ? { reasoning_effort: "medium" as const } : {}),
      };
      const answer = ask.isStream
        ? await streamedChat(client, asked)
        : await client.chat.completions.create(asked);
      return chatSaid(answer, messages);
    };
  },
};

type OpenaiChatRequest = Parameters<OpenAI["chat"]["completions"]["stream"]>[0];

/**
 * The library joins a stream, but for members that are not OpenAI's own: of those it keeps the last
 * piece.
 */
async function streamedChat(
  client: OpenAI,
  asked: Omit<OpenaiChatRequest, "stream">,
): Promise<ChatCompletion> {
  const runner = client.chat.completions.stream({
    ...asked,
    stream_options: { include_usage: true },
  });
  let thoughts = "";
  let blocks: unknown;
  runner.on("chunk", ({ choices }) => {
    const delta = choices[0]?.delta as
      | { reasoning_content?: string; thinking_blocks?: unknown }
      | undefined;
    thoughts += delta?.reasoning_content ?? "";
    blocks = delta?.thinking_blocks ?? blocks;
  });
  const answer = await runner.finalChatCompletion();
  const message = answer.choices[0]?.message;
  if (message && thoughts !== "")
    Object.assign(message, { reasoning_content: thoughts, thinking_blocks: blocks });
  return answer;
}

function chatMessages({ uses, after }: LibraryRequest): ChatCompletionMessageParam[] {
  if (after) {
    const toolResults = after.calls.map(({ id, name }) => ({
      role: "tool" as const,
      tool_call_id: id,
      content: toolResultText(name),
    }));
    return [...(after.turn as ChatCompletionMessageParam[]), ...toolResults];
  }
  const content = [
    { type: "text" as const, text: prompt },
    { type: "image_url" as const, image_url: { url: pictureUrl } },
  ];
  return [
    { role: "system", content: "Be brief." },
    { role: "user", content: uses === "picture" ? content : prompt },
  ];
}

function chatSaid(
  { choices: [choice], usage }: ChatCompletion,
  messages: ChatCompletionMessageParam[],
): LibraryReply {
  if (!choice) throw new Error("there is no choice");
  const { message, finish_reason } = choice;
  const { reasoning_content = "" } = message as { reasoning_content?: string };
  return {
    text: joinText([message.content, message.refusal]),
    thought: reasoning_content,
    calls: (message.tool_calls ?? []).map((call) => {
      if (call.type !== "function") throw new Error("no function is called");
      return { id: call.id, name: call.function.name, input: JSON.parse(call.function.arguments) };
    }),
    tokens: usage && {
      input: usage.prompt_tokens,
      output: usage.completion_tokens,
      cached: usage.prompt_tokens_details?.cached_tokens ?? 0,
    },
    finish: finish_reason,
    turn: [...messages, message],
  };
}

export const openaiResponses: LibraryClient = {
  library: "openai",
  entry: "Responses",
  cannot: () => undefined,
  connect(access) {
    const client = libraryAt(access);
    return async (ask) => {
      const input = responseInput(ask);
      const asked = {
        model: ask.model,
        input,
        instructions: "Be brief.",
        store: false,
        ...(ask.uses === "tools" || ask.uses === "thinking"
          ? {
              tools: toolDefinitions.map(({ name, description, schema }) => ({
                type: "function" as const,
                name,
                description,
                parameters: schema,
                strict: false,
              })),
            }
          : {}),
        ...(ask.uses === "structure"
          ? {
              text: {
                format: {
                  type: "json_schema" as const,
                  name: "city",
                  schema: citySchema,
                  strict: true,
                },
              },
            }
          : {}),
        ...(ask.uses === "thinking"
          ? {
              reasoning: { effort: "medium" as const, summary: "auto" as const },
              include: ["reasoning.encrypted_content" as const],
            }
          : {}),
      };
      const answer = ask.isStream
        ? await client.responses.stream(asked).finalResponse()
        : await client.responses.create(asked);
      return responseSaid(answer, input);
    };
  },
};

function responseInput({ uses, after }: LibraryRequest): ResponseInputItem[] {
  if (after) {
    const toolResults = after.calls.map(({ id, name }) => ({
      type: "function_call_output" as const,
      call_id: id,
      output: toolResultText(name),
    }));
    return [...(after.turn as ResponseInputItem[]), ...toolResults];
  }
  if (uses !== "picture") return [{ role: "user", content: prompt }];
  const content = [
    { type: "input_text" as const, text: prompt },
    { type: "input_image" as const, image_url: pictureUrl, detail: "auto" as const },
  ];
  return [{ role: "user", content }];
}

function responseSaid(answer: Response, input: ResponseInputItem[]): LibraryReply {
  const { output, usage, status, incomplete_details } = answer;
  const parts = output.flatMap((item) => (item.type === "message" ? item.content : []));
  return {
    text: joinText(parts.map((part) => (part.type === "refusal" ? part.refusal : part.text))),
    thought: joinText(
      output.flatMap((item) =>
        item.type === "reasoning" ? item.summary.map(({ text }) => text) : [],
      ),
    ),
    calls: output.flatMap((item) =>
      item.type === "function_call"
        ? [{ id: item.call_id, name: item.name, input: JSON.parse(item.arguments) }]
        : [],
    ),
    tokens: usage && {
      input: usage.input_tokens,
      output: usage.output_tokens,
      cached: usage.input_tokens_details.cached_tokens,
    },
    finish: incomplete_details?.reason ?? status ?? "",
    turn: [...input, ...(output as ResponseInputItem[])],
  };
}
