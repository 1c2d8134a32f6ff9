// OpenAI's Responses format: field names, their order and the order of events follow its API
// reference.

import { openAiWire } from "./openai-wire.ts";
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

export const openAiResponsesWire: WireFormat = {
  ...openAiWire,

  operationOf: (method, path) =>
    method === "POST" && path === "/v1/responses" ? "chat" : undefined,

  readRequest(body) {
    if (!isRecord(body)) throw badRequest("We could not parse the JSON body of your request.");
    if (typeof body.model !== "string" || body.model === "")
      throw badRequest("you must provide a model parameter");
    const tools: unknown[] = Array.isArray(body.tools) ? body.tools : [];
    return {
      model: body.model,
      messages: [...textMessages("system", body.instructions), ...readInput(body.input)],
      tools: tools.flatMap(readTool),
      choices: 1,
      maxTokens: typeof body.max_output_tokens === "number" ? body.max_output_tokens : undefined,
      stream: body.stream === true,
      wantsUsage: true,
    };
  },

  responseBody: (answer, envelope) => responseOf(answer, envelope, [wholeItem(answer, envelope)]),

  *events(answer, envelope) {
    let sequence = 0;
    const event = (
      type: string,
      members: object,
      kind: SimulatedEvent["kind"] = "frame",
    ): SimulatedEvent => {
      const data = JSON.stringify({ type, sequence_number: sequence, ...members });
      sequence += 1;
      return { kind, text: `event: ${type}\ndata: ${data}\n\n` };
    };
    const item = wholeItem(answer, envelope);
    const begun = {
      ...responseOf(answer, envelope, []),
      status: "in_progress",
      incomplete_details: null,
      usage: null,
    };
    yield event("response.created", { response: begun });
    yield event("response.in_progress", { response: begun });
    const empty = answer.toolCall ? { arguments: "" } : { content: [] };
    yield event("response.output_item.added", {
      output_index: 0,
      item: { ...item, ...empty, status: "in_progress" },
    });
    const place = { item_id: item.id, output_index: 0 };
    if (answer.toolCall) {
      for (const delta of answer.toolCall.fragments)
        yield event("response.function_call_arguments.delta", { ...place, delta }, "content");
      const whole = answer.toolCall.fragments.join("");
      yield event("response.function_call_arguments.done", { ...place, arguments: whole });
    } else {
      const inItem = { ...place, content_index: 0 };
      const text = wholeText(answer.tokens);
      yield event("response.content_part.added", { ...inItem, part: textPart("") });
      for (let index = 0; index < answer.tokens.length; index++) {
        const delta = answer.tokens.at(index);
        yield event("response.output_text.delta", { ...inItem, delta, logprobs: [] }, "content");
      }
      yield event("response.output_text.done", { ...inItem, text, logprobs: [] });
      yield event("response.content_part.done", { ...inItem, part: textPart(text) });
    }
    yield event("response.output_item.done", { output_index: 0, item });
    const ended = answer.finish === "length" ? "response.incomplete" : "response.completed";
    yield event(ended, { response: responseOf(answer, envelope, [item]) }, "done");
  },

  streamFailure: () => {
    const error = {
      type: "error",
      code: "server_error",
      message: "The server had an error.",
      param: null,
    };
    return `event: error\ndata: ${JSON.stringify(error)}\n\n`;
  },
};

const badRequest = (message: string) => new InvalidRequestError({ status: 400, message });

const textPart = (text: string) => ({ type: "output_text", annotations: [], logprobs: [], text });

function wholeItem({ toolCall, tokens, finish }: SimulatedAnswer, { id }: AnswerEnvelope) {
  const status = finish === "length" ? "incomplete" : "completed";
  if (!toolCall) {
    const content = [textPart(wholeText(tokens))];
    return { id: `msg_${id}`, type: "message", status, content, role: "assistant" };
  }
  const written = {
    arguments: toolCall.fragments.join(""),
    call_id: `call_${id}`,
    name: toolCall.name,
  };
  return { id: `fc_${id}`, type: "function_call", status, ...written };
}

function responseOf(answer: SimulatedAnswer, envelope: AnswerEnvelope, output: readonly object[]) {
  const isCut = answer.finish === "length";
  return {
    id: `resp_${envelope.id}`,
    object: "response",
    created_at: envelope.createdSeconds,
    status: isCut ? "incomplete" : "completed",
    error: null,
    incomplete_details: isCut ? { reason: "max_output_tokens" } : null,
    model: envelope.model,
    output,
    parallel_tool_calls: true,
    previous_response_id: null,
    service_tier: "default",
    store: true,
    ...(envelope.usageHidden ? {} : { usage: usageOf(answer) }),
  };
}

function usageOf({ usage }: SimulatedAnswer) {
  return {
    input_tokens: usage.prompt,
    input_tokens_details: { cached_tokens: usage.cached },
    output_tokens: usage.completion,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: usage.prompt + usage.completion,
  };
}

const textMessages = (role: string, text: unknown): SimulatedMessage[] =>
  typeof text === "string" && text !== "" ? [{ role, text, images: 0 }] : [];

/** Items other than messages, such as results of tools, count as messages of their role. */
function readInput(input: unknown): SimulatedMessage[] {
  if (typeof input === "string") return textMessages("user", input);
  if (!Array.isArray(input) || input.length === 0)
    throw badRequest("Missing required parameter: 'input'.");
  return input.filter(isRecord).map(({ type, role, content, output }) => {
    const isResult = type === "function_call_output";
    const said = isResult ? output : content;
    const parts = Array.isArray(said) ? said.filter(isRecord) : [];
    const texts =
      typeof said === "string"
        ? [said]
        : parts.flatMap(({ text }) => (typeof text === "string" ? [text] : []));
    return {
      role: typeof role === "string" ? role : isResult ? "tool" : "assistant",
      text: texts.join(" "),
      images: parts.filter((part) => part.type === "input_image").length,
    };
  });
}

function readTool(tool: unknown): SimulatedTool[] {
  if (!isRecord(tool) || tool.type !== "function" || typeof tool.name !== "string") return [];
  return [{ name: tool.name, parameters: isRecord(tool.parameters) ? tool.parameters : {} }];
}
