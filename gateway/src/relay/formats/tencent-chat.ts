/**
 * Tencent's Hunyuan by the API of Tencent's cloud: field names in upper case, a whole reply inside
 * `Response`, the events of a stream outside it, errors with status 200.
 */
import { type JsonRecord, record, records, text } from "../wire/json-parts.ts";
import type { ErrorInBody } from "./api-format.ts";
import { buildNativeProtocol, type ReplyDelta } from "./native-protocol.ts";
import { parseOpenAiUsage } from "./usage/openai-usage.ts";

const finishReasons: Readonly<Record<string, string>> = {
  stop: "stop",
  tool_calls: "tool_calls",
  sensitive: "content_filter",
};

function parseTencentUsage(usage: unknown): ReplyDelta["usage"] {
  const { PromptTokens: prompt_tokens, CompletionTokens: completion_tokens } = record(usage);
  return parseOpenAiUsage({ prompt_tokens, completion_tokens });
}

function buildToolCall({ Id, Index, Function: calledFunction }: JsonRecord): JsonRecord {
  const { Name, Arguments } = record(calledFunction);
  return { id: text(Id), index: Index, function: { name: text(Name), arguments: text(Arguments) } };
}

function readDelta(json: JsonRecord): ReplyDelta | undefined {
  const { Choices, Usage, Id } = { ...json, ...record(json.Response) };
  if (!Array.isArray(Choices)) return undefined;
  const [choice = {}] = records(Choices);
  const { Content, ReasoningContent, ToolCalls } = record(choice.Message ?? choice.Delta);
  const calls = records(ToolCalls).map(buildToolCall);
  const finishReason = text(choice.FinishReason);
  return {
    id: text(Id),
    content: text(Content),
    reasoning: text(ReasoningContent),
    toolCalls: calls.length > 0 ? calls : undefined,
    finishReason: finishReason === "" ? undefined : (finishReasons[finishReason] ?? "stop"),
    usage: parseTencentUsage(Usage),
  };
}

/** HTTP statuses by the prefix of Tencent's error codes; the first match counts. */
const statuses: readonly (readonly [string, number])[] = [
  ["AuthFailure", 401],
  ["UnauthorizedOperation", 403],
  ["RequestLimitExceeded", 429],
  ["LimitExceeded", 429],
  ["FailedOperation.EngineServerLimitExceeded", 429],
  ["FailedOperation.FreeResourcePackExhausted", 429],
  ["FailedOperation.ResourcePackExhausted", 429],
  ["FailedOperation.ServiceNotActivated", 403],
  ["FailedOperation.ServiceStop", 403],
  ["InvalidParameter", 400],
  ["MissingParameter", 400],
  ["UnknownParameter", 400],
  ["UnsupportedOperation", 400],
  ["RequestSizeLimitExceeded", 413],
];

function parseError(json: JsonRecord): ErrorInBody | undefined {
  const { Error: error, ErrorMsg } = { ...json, ...record(json.Response) };
  const { Code: code, Message, Msg } = { ...record(error), ...record(ErrorMsg) };
  if (typeof code !== "string" && (typeof code !== "number" || code === 0)) return undefined;
  const [, status = 500] = statuses.find(([prefix]) => String(code).startsWith(prefix)) ?? [];
  return { status, message: text(Message) || text(Msg) || "no reason given", code };
}

export const tencentChat = buildNativeProtocol({
  endpoint: "tencent_chat",
  createReader: () => readDelta,
  errorIn: parseError,
  withSystemPrompt(body, prompt) {
    const messages = records(body.Messages);
    const otherMessages = messages[0]?.Role === "system" ? messages.slice(1) : messages;
    return { ...body, Messages: [{ Role: "system", Content: prompt }, ...otherMessages] };
  },
});

export const tencentEmbeddings = buildNativeProtocol({
  endpoint: "tencent_embeddings",
  createReader: () => (json) => {
    const { Data, Usage } = record(json.Response);
    return Array.isArray(Data)
      ? { usage: parseTencentUsage(Usage), vectorCount: Data.length }
      : undefined;
  },
  errorIn: parseError,
});
