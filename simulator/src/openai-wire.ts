// OpenAI's Chat Completions format: field names, their order and the order of events follow its API
// reference.

import { defaultFailure } from "./openai-failures.ts";
import { isRecord } from "./script.ts";
import {
  type SimulatedAnswer,
  type SimulatedMessage,
  type SimulatedTool,
  wholeText,
} from "./simulated-answer.ts";
import {
  type AnswerEnvelope,
  InvalidRequestError,
  type SimulatedEvent,
  type WireFormat,
} from "./wire-format.ts";

export const openAiWire: WireFormat = {
  operationOf(method, path) {
    if (method === "POST" && path === "/v1/chat/completions") return "chat";
    if (method === "GET" && path === "/v1/models") return "models";
    return undefined;
  },

  keyOf: ({ authorization }) => /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1],

  readRequest(body) {
    if (!isRecord(body)) throw badRequest("We could not parse the JSON body of your request.");
    if (typeof body.model !== "string" || body.model === "")
      throw badRequest("you must provide a model parameter");
    if (!Array.isArray(body.messages))
      throw badRequest("Missing required parameter: 'messages'.", "missing_required_parameter");
    if (body.messages.length === 0)
      throw badRequest("Invalid 'messages': empty array.", "empty_array");
    const tools: unknown[] = Array.isArray(body.tools) ? body.tools : [];
    const options = isRecord(body.stream_options) ? body.stream_options : {};
    return {
      model: body.model,
      messages: body.messages.map(readMessage),
      tools: tools.flatMap(readTool),
      choices: positiveInteger(body.n, "n") ?? 1,
      maxTokens:
        positiveInteger(body.max_completion_tokens, "max_completion_tokens") ??
        positiveInteger(body.max_tokens, "max_tokens"),
      stream: body.stream === true,
      wantsUsage: options.include_usage === true,
    };
  },

  responseBody(answer, envelope) {
    const message = answer.toolCall
      ? {
          role: "assistant",
          content: null,
          tool_calls: [toolCall(answer.toolCall.fragments.join(""), answer, envelope)],
        }
      : { role: "assistant", content: wholeText(answer.tokens) };
    const finished = {
      message: { ...message, refusal: null, annotations: [] },
      logprobs: null,
      finish_reason: answer.finish,
    };
    return {
      id: `chatcmpl-${envelope.id}`,
      object: "chat.completion",
      created: envelope.createdSeconds,
      model: envelope.model,
      choices: indices(answer.choices).map((index) => ({ index, ...finished })),
      ...(envelope.usageHidden ? {} : { usage: usageOf(answer) }),
      service_tier: "default",
      system_fingerprint: fingerprint,
    };
  },

  *events(answer, envelope, { wantsUsage }) {
    const tellsUsage = wantsUsage && !envelope.usageHidden;
    const start = {
      id: `chatcmpl-${envelope.id}`,
      object: "chat.completion.chunk",
      created: envelope.createdSeconds,
      model: envelope.model,
      service_tier: "default",
      system_fingerprint: fingerprint,
    };
    // When usage is requested, every chunk has the field, and it is null in all but the last.
    const end = tellsUsage ? { usage: null } : {};
    const chunk = (index: number, delta: unknown, finish: string | null = null) =>
      `data: ${JSON.stringify({ ...start, choices: [{ index, delta, logprobs: null, finish_reason: finish }], ...end })}\n\n`;
    const choices = indices(answer.choices);

    for (const index of choices) yield frame(chunk(index, opening(answer, envelope)));
    for (const delta of deltas(answer)) {
      for (const index of choices) yield { kind: "content", text: chunk(index, delta) };
    }
    for (const index of choices) yield frame(chunk(index, {}, answer.finish));
    if (tellsUsage)
      yield frame(`data: ${JSON.stringify({ ...start, choices: [], usage: usageOf(answer) })}\n\n`);
    yield { kind: "done", text: "data: [DONE]\n\n" };
  },

  models: (ids, createdSeconds, ends) => ({
    object: "list",
    data: ids.map((id) => ({
      ...{ id, object: "model", created: createdSeconds, owned_by: "simulator" },
      ...(ends && { shutdown_date: ends[id] ?? null }),
    })),
  }),

  failure({ status, message, type, code }, key) {
    const fallback = defaultFailure(status, key);
    return {
      error: {
        message: message ?? fallback.message,
        type: type ?? fallback.type,
        param: null,
        code: code ?? fallback.code,
      },
    };
  },

  streamFailure: () => `data: ${JSON.stringify(openAiWire.failure({ status: 500 }, ""))}\n\n`,
};

const fingerprint = "fp_simulator";

const frame = (text: string): SimulatedEvent => ({ kind: "frame", text });
const indices = (count: number) => Array.from({ length: count }, (_, index) => index);

function opening(answer: SimulatedAnswer, envelope: AnswerEnvelope): unknown {
  if (!answer.toolCall) return { role: "assistant", content: "", refusal: null };
  return {
    role: "assistant",
    content: null,
    tool_calls: [{ index: 0, ...toolCall("", answer, envelope) }],
    refusal: null,
  };
}

function* deltas({ toolCall, tokens }: SimulatedAnswer): Iterable<unknown> {
  for (const fragment of toolCall?.fragments ?? []) {
    yield { tool_calls: [{ index: 0, function: { arguments: fragment } }] };
  }
  for (let index = 0; index < tokens.length; index++) yield { content: tokens.at(index) };
}

function toolCall(argumentsText: string, answer: SimulatedAnswer, { id }: AnswerEnvelope) {
  const name = answer.toolCall?.name ?? "";
  return { id: `call_${id}`, type: "function", function: { name, arguments: argumentsText } };
}

export function usageOf({ usage }: SimulatedAnswer) {
  return {
    prompt_tokens: usage.prompt,
    completion_tokens: usage.completion,
    total_tokens: usage.prompt + usage.completion,
    prompt_tokens_details: { cached_tokens: usage.cached, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

function readMessage(message: unknown): SimulatedMessage {
  if (!isRecord(message) || typeof message.role !== "string") {
    throw badRequest(
      "Missing required parameter: 'messages[].role'.",
      "missing_required_parameter",
    );
  }
  const { role, content } = message;
  if (typeof content === "string") return { role, text: content, images: 0 };
  const parts = Array.isArray(content) ? content.filter(isRecord) : [];
  const texts = parts.flatMap((part) => (typeof part.text === "string" ? [part.text] : []));
  return {
    role,
    text: texts.join(" "),
    images: parts.filter((part) => part.type === "image_url").length,
  };
}

function readTool(tool: unknown): SimulatedTool[] {
  if (!isRecord(tool) || !isRecord(tool.function) || typeof tool.function.name !== "string")
    return [];
  const { name, parameters } = tool.function;
  return [{ name, parameters: isRecord(parameters) ? parameters : {} }];
}

export function positiveInteger(value: unknown, name: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number" && Number.isInteger(value) && value >= 1) return value;
  throw badRequest(`Invalid '${name}': expected a positive integer.`, "invalid_type");
}

export function badRequest(message: string, code?: string): InvalidRequestError {
  return new InvalidRequestError({ status: 400, message, ...(code && { code }) });
}
