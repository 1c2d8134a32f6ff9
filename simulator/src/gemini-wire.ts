// Google's Gemini format: field names, their order and the form of events follow its API reference.

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

const callPath = /^\/v1beta\/models\/([^/]+):(generateContent|streamGenerateContent)$/;

export const geminiWire: WireFormat = {
  operationOf(method, path) {
    if (method === "GET" && path === "/v1beta/models") return "models";
    return method === "POST" && callPath.test(path) ? "chat" : undefined;
  },

  keyOf: ({ "x-goog-api-key": key }) => (typeof key === "string" && key !== "" ? key : undefined),

  readRequest(body, target) {
    const { pathname, searchParams } = new URL(target, "http://simulator");
    const [, model = "", operation] = callPath.exec(pathname) ?? [];
    if (!isRecord(body)) throw badRequest("Invalid JSON payload received.");
    if (!Array.isArray(body.contents) || body.contents.length === 0)
      throw badRequest("contents is not specified");
    const stream = operation === "streamGenerateContent";
    if (stream && searchParams.get("alt") !== "sse")
      throw badRequest("This simulator streams events alone.");
    const system =
      body.systemInstruction === undefined ? [] : [readContent("system", body.systemInstruction)];
    const config = isRecord(body.generationConfig) ? body.generationConfig : {};
    return {
      model: decodeURIComponent(model),
      messages: [...system, ...body.contents.map((turn) => readContent("user", turn))],
      tools: listOf(body.tools).flatMap(({ functionDeclarations }) =>
        listOf(functionDeclarations).flatMap(readTool),
      ),
      choices: 1,
      maxTokens: typeof config.maxOutputTokens === "number" ? config.maxOutputTokens : undefined,
      stream,
      wantsUsage: true,
    };
  },

  responseBody(answer, envelope) {
    const { toolCall, tokens } = answer;
    const parts = toolCall ? [functionCallPart(toolCall)] : [{ text: wholeText(tokens) }];
    return response(answer, envelope, answer.usage.completion, parts, "finished");
  },

  *events(answer, envelope) {
    const { tokens, toolCall, usage } = answer;
    const contentEvent = (count: number, part: object): SimulatedEvent => ({
      kind: "content",
      text: frame(response(answer, envelope, usage.reasoning + count, [part])),
    });
    if (toolCall) yield contentEvent(usage.completion, functionCallPart(toolCall));
    for (let index = 0; index < tokens.length; index++)
      yield contentEvent(index + 1, { text: tokens.at(index) });
    const last = response(answer, envelope, usage.completion, [{ text: "" }], "finished");
    yield { kind: "frame", text: frame(last) };
  },

  models: (ids) => ({
    models: ids.map((id) => ({
      name: `models/${id}`,
      displayName: id,
      supportedGenerationMethods: ["generateContent", "countTokens"],
    })),
  }),

  failure({ status, message, type }) {
    const fallback = defaultFailures[status] ?? {
      status: "INTERNAL",
      message: "An internal error has occurred.",
    };
    return {
      error: {
        code: status,
        message: message ?? fallback.message,
        status: type ?? fallback.status,
      },
    };
  },

  streamFailure: () =>
    frame({ error: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" } }),
};

const frame = (data: unknown) => `data: ${JSON.stringify(data)}\r\n\r\n`;

const functionCallPart = ({ name, fragments }: NonNullable<SimulatedAnswer["toolCall"]>) => ({
  functionCall: { name, args: JSON.parse(fragments.join("")) },
  thoughtSignature: "c2lt",
});

const finishReasons = { stop: "STOP", length: "MAX_TOKENS", tool_calls: "STOP" } as const;

/** `completion` counts the tokens so far including reasoning, which Google counts separately. */
function response(
  { usage, finish }: SimulatedAnswer,
  { id, model, usageHidden }: AnswerEnvelope,
  completion: number,
  parts: readonly object[],
  state?: "finished",
) {
  const { prompt, cached, reasoning } = usage;
  const usageMetadata = {
    promptTokenCount: prompt,
    candidatesTokenCount: completion - reasoning,
    totalTokenCount: prompt + completion,
    ...(cached > 0 && { cachedContentTokenCount: cached }),
    ...(reasoning > 0 && { thoughtsTokenCount: reasoning }),
  };
  const ending = state && { finishReason: finishReasons[finish] };
  return {
    candidates: [{ content: { parts, role: "model" }, ...ending, index: 0 }],
    ...(usageHidden ? {} : { usageMetadata }),
    modelVersion: model,
    responseId: id,
  };
}

const listOf = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];

function readContent(fallback: string, turn: unknown): SimulatedMessage {
  if (!isRecord(turn)) throw badRequest("Invalid value at 'contents'");
  const parts = listOf(turn.parts);
  const texts = parts.flatMap(({ text }) => (typeof text === "string" ? [text] : []));
  const images = parts.filter(
    ({ inlineData, fileData }) => isRecord(inlineData) || isRecord(fileData),
  ).length;
  return {
    role: typeof turn.role === "string" ? turn.role : fallback,
    text: texts.join(" "),
    images,
  };
}

function readTool({
  name,
  parametersJsonSchema,
  parameters,
}: Record<string, unknown>): SimulatedTool[] {
  const schema = parametersJsonSchema ?? parameters;
  return typeof name === "string" ? [{ name, parameters: isRecord(schema) ? schema : {} }] : [];
}

const badRequest = (message: string) => new InvalidRequestError({ status: 400, message });

const defaultFailures: Record<number, { status: string; message: string }> = {
  400: { status: "INVALID_ARGUMENT", message: "Request contains an invalid argument." },
  401: { status: "UNAUTHENTICATED", message: "Request had invalid authentication credentials." },
  403: { status: "PERMISSION_DENIED", message: "Method doesn't allow unregistered callers." },
  404: { status: "NOT_FOUND", message: "The model is not found." },
  429: { status: "RESOURCE_EXHAUSTED", message: "Resource has been exhausted (e.g. check quota)." },
  503: { status: "UNAVAILABLE", message: "The model is overloaded. Please try again later." },
};
