/**
 * Tencent's Hunyuan by the interface of Tencent's cloud: members in capitals, a whole answer inside of `Response`, the
 * events of a stream outside of it, errors with status 200.
 */
import { type Json, record, records, text } from "../json-parts.ts";
import { usageFrom } from "./open-ai-usage.ts";
import { ownShape, type Said } from "./own-shape.ts";
import type { Failure } from "./shape.ts";

const reasons: Readonly<Record<string, string>> = {
  stop: "stop",
  tool_calls: "tool_calls",
  sensitive: "content_filter",
};

function usageIn(usage: unknown): Said["usage"] {
  const { PromptTokens: prompt_tokens, CompletionTokens: completion_tokens } = record(usage);
  return usageFrom({ prompt_tokens, completion_tokens });
}

function callOf({ Id, Index, Function: called }: Json): Json {
  const { Name, Arguments } = record(called);
  return { id: text(Id), index: Index, function: { name: text(Name), arguments: text(Arguments) } };
}

function said(json: Json): Said | undefined {
  const { Choices, Usage, Id } = { ...json, ...record(json.Response) };
  if (!Array.isArray(Choices)) return undefined;
  const [choice = {}] = records(Choices);
  const { Content, ReasoningContent, ToolCalls } = record(choice.Message ?? choice.Delta);
  const calls = records(ToolCalls).map(callOf);
  const finish = text(choice.FinishReason);
  return {
    id: text(Id),
    content: text(Content),
    reasoning: text(ReasoningContent),
    toolCalls: calls.length > 0 ? calls : undefined,
    finish: finish === "" ? undefined : (reasons[finish] ?? "stop"),
    usage: usageIn(Usage),
  };
}

/** What HTTP would have said, by the beginning of Tencent's error codes; the first that fits counts. */
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

function failure(json: Json): Failure | undefined {
  const { Error: error, ErrorMsg } = { ...json, ...record(json.Response) };
  const { Code: code, Message, Msg } = { ...record(error), ...record(ErrorMsg) };
  if (typeof code !== "string" && (typeof code !== "number" || code === 0)) return undefined;
  const [, status = 500] = statuses.find(([beginning]) => String(code).startsWith(beginning)) ?? [];
  return { status, message: text(Message) || text(Msg) || "no reason given", code };
}

export const tencentChat = ownShape({
  entry: "tencent_chat",
  reader: () => said,
  failure,
  withPrompt(body, prompt) {
    const messages = records(body.Messages);
    const rest = messages[0]?.Role === "system" ? messages.slice(1) : messages;
    return { ...body, Messages: [{ Role: "system", Content: prompt }, ...rest] };
  },
});

export const tencentEmbeddings = ownShape({
  entry: "tencent_embeddings",
  reader: () => (json) => {
    const { Data, Usage } = record(json.Response);
    return Array.isArray(Data) ? { usage: usageIn(Usage) } : undefined;
  },
  failure,
});
