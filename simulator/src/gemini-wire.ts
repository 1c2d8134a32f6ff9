// Gemini's own interface as Google writes it: field names, their order and the form of events follow its API reference.
import { type Answer, type Message, type Tool, wholeText } from "./answer.ts";
import { isRecord } from "./script.ts";
import { BadQuestion, type Envelope, type Wire, type WireEvent } from "./wire.ts";

const callPath = /^\/v1beta\/models\/([^/]+):(generateContent|streamGenerateContent)$/;

export const geminiWire: Wire = {
  operationOf(method, path) {
    if (method === "GET" && path === "/v1beta/models") return "models";
    return method === "POST" && callPath.test(path) ? "chat" : undefined;
  },

  keyOf: ({ "x-goog-api-key": key }) => (typeof key === "string" && key !== "" ? key : undefined),

  readQuestion(body, target) {
    const { pathname, searchParams } = new URL(target, "http://simulator");
    const [, model = "", operation] = callPath.exec(pathname) ?? [];
    if (!isRecord(body)) throw badRequest("Invalid JSON payload received.");
    if (!Array.isArray(body.contents) || body.contents.length === 0) throw badRequest("contents is not specified");
    const stream = operation === "streamGenerateContent";
    if (stream && searchParams.get("alt") !== "sse") throw badRequest("This simulator streams events alone.");
    const system = body.systemInstruction === undefined ? [] : [readTurn("system", body.systemInstruction)];
    const config = isRecord(body.generationConfig) ? body.generationConfig : {};
    return {
      model: decodeURIComponent(model),
      messages: [...system, ...body.contents.map((turn) => readTurn("user", turn))],
      tools: listOf(body.tools).flatMap(({ functionDeclarations }) => listOf(functionDeclarations).flatMap(readTool)),
      choices: 1,
      maxTokens: typeof config.maxOutputTokens === "number" ? config.maxOutputTokens : undefined,
      stream,
      wantsUsage: true,
    };
  },

  whole(answer, envelope) {
    const { toolCall, tokens } = answer;
    const parts = toolCall ? [calling(toolCall)] : [{ text: wholeText(tokens) }];
    return response(answer, envelope, answer.usage.completion, parts, "finished");
  },

  *events(answer, envelope) {
    const { tokens, toolCall, usage } = answer;
    const said = (count: number, part: object): WireEvent => ({
      kind: "content",
      text: frame(response(answer, envelope, usage.reasoning + count, [part])),
    });
    if (toolCall) yield said(usage.completion, calling(toolCall));
    for (let index = 0; index < tokens.length; index++) yield said(index + 1, { text: tokens.at(index) });
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
    const usual = usualFailures[status] ?? { status: "INTERNAL", message: "An internal error has occurred." };
    return { error: { code: status, message: message ?? usual.message, status: type ?? usual.status } };
  },

  streamFailure: () => frame({ error: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" } }),
};

const frame = (data: unknown) => `data: ${JSON.stringify(data)}\r\n\r\n`;

const calling = ({ name, fragments }: NonNullable<Answer["toolCall"]>) => ({
  functionCall: { name, args: JSON.parse(fragments.join("")) },
  thoughtSignature: "c2lt",
});

const finishReasons = { stop: "STOP", length: "MAX_TOKENS", tool_calls: "STOP" } as const;

/** `completion` is what was written so far, thoughts included: Google counts them apart. */
function response(
  { usage, finish }: Answer,
  { id, model, usageHidden }: Envelope,
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

const listOf = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.filter(isRecord) : []);

function readTurn(usual: string, turn: unknown): Message {
  if (!isRecord(turn)) throw badRequest("Invalid value at 'contents'");
  const parts = listOf(turn.parts);
  const texts = parts.flatMap(({ text }) => (typeof text === "string" ? [text] : []));
  const images = parts.filter(({ inlineData, fileData }) => isRecord(inlineData) || isRecord(fileData)).length;
  return { role: typeof turn.role === "string" ? turn.role : usual, text: texts.join(" "), images };
}

function readTool({ name, parametersJsonSchema, parameters }: Record<string, unknown>): Tool[] {
  const schema = parametersJsonSchema ?? parameters;
  return typeof name === "string" ? [{ name, parameters: isRecord(schema) ? schema : {} }] : [];
}

const badRequest = (message: string) => new BadQuestion({ status: 400, message });

const usualFailures: Record<number, { status: string; message: string }> = {
  400: { status: "INVALID_ARGUMENT", message: "Request contains an invalid argument." },
  401: { status: "UNAUTHENTICATED", message: "Request had invalid authentication credentials." },
  403: { status: "PERMISSION_DENIED", message: "Method doesn't allow unregistered callers." },
  404: { status: "NOT_FOUND", message: "The model is not found." },
  429: { status: "RESOURCE_EXHAUSTED", message: "Resource has been exhausted (e.g. check quota)." },
  503: { status: "UNAVAILABLE", message: "The model is overloaded. Please try again later." },
};
