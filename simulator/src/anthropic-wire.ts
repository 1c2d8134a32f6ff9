// Anthropic's Messages format: field names, their order and the order of events follow its API
// reference.

import { isRecord } from "./script.ts";
import {
  type SimulatedAnswer,
  type SimulatedMessage,
  type SimulatedTool,
  wholeText,
} from "./simulated-answer.ts";
import { InvalidRequestError, type SimulatedEvent, type WireFormat } from "./wire-format.ts";

export const anthropicWire: WireFormat = {
  operationOf: (method, path) =>
    method === "POST" && path === "/v1/messages" ? "chat" : undefined,

  keyOf: ({ "x-api-key": key }) => (typeof key === "string" && key !== "" ? key : undefined),

  readRequest(body) {
    if (!isRecord(body)) throw badRequest("The request body is not valid JSON");
    if (typeof body.model !== "string" || body.model === "")
      throw badRequest("model: Field required");
    if (typeof body.max_tokens !== "number" || body.max_tokens < 1)
      throw badRequest("max_tokens: Field required");
    if (!Array.isArray(body.messages)) throw badRequest("messages: Field required");
    if (body.messages.length === 0) throw badRequest("messages: at least one message is required");
    const system =
      body.system === undefined ? [] : [readMessage({ role: "system", content: body.system })];
    const tools: unknown[] = Array.isArray(body.tools) ? body.tools : [];
    return {
      model: body.model,
      messages: [...system, ...body.messages.map(readMessage)],
      tools: tools.flatMap(readTool),
      choices: 1,
      maxTokens: body.max_tokens,
      stream: body.stream === true,
      wantsUsage: true,
    };
  },

  responseBody(answer, { id, model, usageHidden }) {
    const { toolCall } = answer;
    const content = toolCall
      ? {
          type: "tool_use",
          id: `toolu_${id}`,
          name: toolCall.name,
          input: JSON.parse(toolCall.fragments.join("")),
        }
      : { type: "text", text: wholeText(answer.tokens) };
    return {
      id: `msg_${id}`,
      type: "message",
      role: "assistant",
      model,
      content: [content],
      stop_reason: stopReasons[answer.finish],
      stop_sequence: null,
      ...(usageHidden
        ? {}
        : { usage: { ...promptUsage(answer), output_tokens: answer.usage.completion } }),
    };
  },

  *events(answer, { id, model, usageHidden }) {
    const start = {
      id: `msg_${id}`,
      type: "message",
      role: "assistant",
      model,
      content: [],
      stop_reason: null,
    };
    const usage = usageHidden ? {} : { usage: { ...promptUsage(answer), output_tokens: 1 } };
    yield frame({ type: "message_start", message: { ...start, stop_sequence: null, ...usage } });
    const { toolCall } = answer;
    const content_block = toolCall
      ? { type: "tool_use", id: `toolu_${id}`, name: toolCall.name, input: {} }
      : { type: "text", text: "" };
    yield frame({ type: "content_block_start", index: 0, content_block });
    yield frame({ type: "ping" });
    for (const delta of deltas(answer)) {
      yield { ...frame({ type: "content_block_delta", index: 0, delta }), kind: "content" };
    }
    yield frame({ type: "content_block_stop", index: 0 });
    const spent = usageHidden ? {} : { usage: { output_tokens: answer.usage.completion } };
    const delta = { stop_reason: stopReasons[answer.finish], stop_sequence: null };
    yield frame({ type: "message_delta", delta, ...spent });
    yield { ...frame({ type: "message_stop" }), kind: "done" };
  },

  models: (ids, createdSeconds) => ({
    data: ids.map((id) => ({
      type: "model",
      id,
      display_name: id,
      created_at: new Date(createdSeconds * 1000),
    })),
    has_more: false,
    first_id: ids[0] ?? null,
    last_id: ids.at(-1) ?? null,
  }),

  failure({ status, message, type }) {
    const fallback = defaultFailures[status] ?? {
      type: "api_error",
      message: "Internal server error",
    };
    return {
      type: "error",
      error: { type: type ?? fallback.type, message: message ?? fallback.message },
    };
  },

  streamFailure: () => {
    const error = { type: "overloaded_error", message: "Overloaded" };
    return frame({ type: "error", error }).text;
  },
};

const stopReasons = { stop: "end_turn", length: "max_tokens", tool_calls: "tool_use" } as const;

function frame(data: { type: string; [member: string]: unknown }): SimulatedEvent {
  return { kind: "frame", text: `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n` };
}

function* deltas({ toolCall, tokens }: SimulatedAnswer): Iterable<unknown> {
  for (const fragment of toolCall?.fragments ?? [])
    yield { type: "input_json_delta", partial_json: fragment };
  for (let index = 0; index < tokens.length; index++)
    yield { type: "text_delta", text: tokens.at(index) };
}

/** Unlike OpenAI's prompt tokens, `input_tokens` excludes cached tokens. */
function promptUsage({ usage: { prompt, cached } }: SimulatedAnswer) {
  return {
    input_tokens: prompt - cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
  };
}

function readMessage(message: unknown): SimulatedMessage {
  if (!isRecord(message) || typeof message.role !== "string")
    throw badRequest("messages.0.role: Field required");
  const { role, content } = message;
  if (typeof content === "string") return { role, text: content, images: 0 };
  const parts = Array.isArray(content) ? content.filter(isRecord) : [];
  const texts = parts.flatMap((part) => (typeof part.text === "string" ? [part.text] : []));
  return {
    role,
    text: texts.join(" "),
    images: parts.filter((part) => part.type === "image").length,
  };
}

function readTool(tool: unknown): SimulatedTool[] {
  if (!isRecord(tool) || typeof tool.name !== "string") return [];
  return [{ name: tool.name, parameters: isRecord(tool.input_schema) ? tool.input_schema : {} }];
}

const badRequest = (message: string) => new InvalidRequestError({ status: 400, message });

const defaultFailures: Record<number, { type: string; message: string }> = {
  400: { type: "invalid_request_error", message: "The request is not valid." },
  401: { type: "authentication_error", message: "invalid x-api-key" },
  403: { type: "permission_error", message: "Your API key may not use this resource." },
  404: { type: "not_found_error", message: "There is no such model." },
  429: { type: "rate_limit_error", message: "This request would exceed your rate limit." },
  529: { type: "overloaded_error", message: "Overloaded" },
};
