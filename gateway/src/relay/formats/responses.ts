/** Responses: OpenAI's newer API. */
import * as z from "zod/mini";
import { eventText, isObject, textIn, valueStart } from "../wire/event-text.ts";
import { record, text } from "../wire/json-parts.ts";
import type {
  ClientFormat,
  ErrorFormat,
  ErrorInBody,
  ParsedRequest,
  RelayCall,
  ReplyFacts,
  StreamEventFacts,
} from "./api-format.ts";
import { openAiErrors } from "./openai-errors.ts";
import { parseOpenAiUsage } from "./openai-usage.ts";
import { streamOrJson, textFacts } from "./reply-facts.ts";
import type { ReportedUsage } from "./reported-usage.ts";
import { modelName, parseBody, patchBody, tokenLimit } from "./request-fields.ts";
import { servedTermsOf } from "./served-terms.ts";
import { estimatePromptTokens } from "./token-estimate.ts";

const itemsMax = 100_000;

const inputItem = z.custom<Record<string, unknown>>(
  (value) => typeof value === "object" && value !== null,
  "must be an object",
);

const responsesRequest = z.object({
  model: modelName,
  input: z.optional(z.nullable(z.union([z.string(), z.array(inputItem).check(z.maxLength(itemsMax))]))),
  stream: z.optional(z.nullable(z.boolean())),
  background: z.optional(
    z.nullable(z.literal(false, "is not offered: the gateway cannot bill an answer that comes later")),
  ),
  max_output_tokens: tokenLimit,
});

function parseRequest(json: unknown, isEstimateRough: boolean): ParsedRequest {
  const { model, input, stream, max_output_tokens } = parseBody(responsesRequest, json, "invalid_text_request");
  const { instructions, tools } = json as { instructions?: unknown; tools?: unknown };
  const items = typeof input === "string" ? [{ content: input }] : (input ?? []).map((content) => ({ content }));
  return {
    model,
    isStream: stream === true,
    wantsUsage: true,
    streamOptions: {},
    maxOutputTokens: max_output_tokens ?? undefined,
    choiceCount: 1,
    promptEstimate: estimatePromptTokens([...items, { content: instructions }], tools, isEstimateRough),
    refersTo: referenceIn(json as Record<string, unknown>),
  };
}

const referenceFields = ["previous_response_id", "conversation", "prompt"];

function referenceIn(json: Record<string, unknown>): string | undefined {
  const { input } = json;
  const hasItem = Array.isArray(input) && input.some(({ type }: { type?: unknown }) => type === "item_reference");
  return (
    referenceFields.find((name) => json[name] !== undefined && json[name] !== null) ?? (hasItem ? "input" : undefined)
  );
}

function writeBody(call: RelayCall, model: string, systemPrompt: string | null): Buffer {
  return patchBody(call, model, systemPrompt === null ? {} : { instructions: JSON.stringify(systemPrompt) });
}

interface ResponseOutputItemWire {
  type?: unknown;
  arguments?: unknown;
  content?: readonly ResponseOutputPartWire[];
  summary?: readonly ResponseOutputPartWire[];
}

type ResponseOutputPartWire = { text?: unknown; refusal?: unknown } | null;

function readReply(json: Readonly<Record<string, unknown>>): ReplyFacts | undefined {
  const { object, output, usage } = json;
  if (object !== "response" || !Array.isArray(output)) return undefined;
  const modelText = output.flatMap((outputItem: ResponseOutputItemWire | null) => {
    const parts = [outputItem?.summary, outputItem?.content].flatMap((list) => (Array.isArray(list) ? list : []));
    const partTexts = parts.flatMap((part: ResponseOutputPartWire) => [part?.text, part?.refusal]);
    return [...partTexts, outputItem?.arguments].filter((text) => typeof text === "string");
  });
  return {
    usage: withSearches(parseOpenAiUsage(usage), output),
    text: modelText.join(""),
    served: servedTermsOf(json),
  };
}

const failureStatuses: Readonly<Record<string, number>> = { rate_limit_exceeded: 429, invalid_prompt: 400 };

/** A failed reply has a successful HTTP status and reports the failure in its `status`. */
function errorIn({ object, status, error }: Readonly<Record<string, unknown>>): ErrorInBody | undefined {
  if (object !== "response" || status !== "failed") return undefined;
  const { code, message } = record(error);
  return {
    status: failureStatuses[text(code)] ?? 500,
    message: text(message) || "no reason given",
    code: text(code) || null,
  };
}

const searchBuckets = { web_search_call: "web_searches", file_search_call: "file_searches" } as const;

/** The provider's own searches are charged per call. */
function withSearches(read: ReportedUsage | undefined, output: unknown): ReportedUsage | undefined {
  if (!read || !Array.isArray(output)) return read;
  const usage = { ...read.usage };
  for (const [type, bucket] of Object.entries(searchBuckets)) {
    const calls = output.filter((item: ResponseOutputItemWire | null) => item?.type === type).length;
    if (calls > 0) usage[bucket] = calls;
  }
  return { ...read, usage };
}

const ignoredEvent: StreamEventFacts = { kind: "other", textBytes: 0 };
const malformedEvent: StreamEventFacts = { kind: "malformed", textBytes: 0 };
const finalEvents = ["response.completed", "response.incomplete", "response.failed"];

function readEvent(event: string): StreamEventFacts {
  const eventData = eventText(event);
  if (!eventData) return ignoredEvent;
  if (!isObject(eventData)) return malformedEvent;
  const { text, from } = eventData;
  const type = valueStart(text, "type", from);
  const typeEnd = text.indexOf('"', type + 1);
  const name = text.slice(type + 1, typeEnd);
  if (name.endsWith(".delta")) return textFacts(textIn(text, ["delta"]));
  return name === "error" || finalEvents.includes(name) ? readParsedEvent(text.slice(from), name) : ignoredEvent;
}

function readParsedEvent(text: string, name: string): StreamEventFacts {
  try {
    const event = JSON.parse(text) as { response?: { usage?: unknown; output?: unknown; error?: unknown } };
    if (name === "error") return { kind: "error", textBytes: 0, error: event };
    if (name === "response.failed") return { kind: "error", textBytes: 0, error: event.response?.error ?? event };
    const usage = withSearches(parseOpenAiUsage(event.response?.usage), event.response?.output);
    const served = servedTermsOf(event.response);
    return { kind: "done", textBytes: 0, isLast: true, ...(usage && { usage }), ...(served && { served }) };
  } catch {
    return malformedEvent;
  }
}

const errorFormat: ErrorFormat = {
  errorBody: openAiErrors.errorBody,
  streamError: ({ type, message, code, param }, requestId) => {
    const error = {
      type: "error",
      code: code ?? type,
      message: `${message} (request id: ${requestId})`,
      param: param ?? null,
    };
    return `event: error\ndata: ${JSON.stringify(error)}\n\n`;
  },
};

export const responses: ClientFormat = {
  endpoint: "response_api",
  parseRequest,
  passedHeaders: ["openai-beta"],
  errorFormat,
  upstream: {
    endpoint: "response_api",
    writeBody,
    replies: streamOrJson,
    readReply,
    errorIn,
    createEventReader: () => readEvent,
    // The last event carries the whole reply, which the gateway cannot make up.
    terminator: "",
  },
};
