/** Responses: OpenAI's newer API. */
import {
  computeValueStart,
  findEventText,
  isObject,
  ownValueStart,
  readText,
} from "../wire/event-text.ts";
import { type JsonRecord, parseObject, record, records, text } from "../wire/json-parts.ts";
import { findNamedStatus } from "../wire/named-errors.ts";
import type {
  ClientFormat,
  ErrorInBody,
  ParsedRequest,
  ReplyFacts,
  StreamEventFacts,
  StreamEventReader,
  TokenCounter,
} from "./api-format.ts";
import type { AskedModel, SentBody } from "./call-parts.ts";
import {
  buildSessionsAsked,
  findContainer,
  ranInContainer,
} from "./hold-size/container-sessions.ts";
import { createLimitWriter, parseAnswers, parseOutputLimit } from "./hold-size/output-limit.ts";
import { estimatePromptTokens } from "./hold-size/token-estimate.ts";
import { compareWith } from "./hold-size/unseen-inputs.ts";
import { isItemReference, isReadById } from "./kept-items.ts";
import {
  buildTextFacts,
  buildWrittenFacts,
  buildWrittenReply,
  streamOrJson,
} from "./reply-facts.ts";
import {
  field,
  listField,
  listOrOne,
  modelName,
  objectField,
  optional,
  parseBody,
  patchBody,
  switchField,
  tokenLimit,
} from "./request-fields.ts";
import { responsesErrors } from "./responses-errors.ts";
import { findSearchBucket, findUsageOfResponse } from "./responses-usage.ts";
import { foldResponsesEvents } from "./stream-as-whole.ts";
import { findServedTerms } from "./usage/served-terms.ts";
import { joinOutput, parseWritten, type WrittenOutput } from "./usage/written-output.ts";
import { streamResponsesReply } from "./whole-as-stream.ts";

const itemsMax = 100_000;

const item = field(
  (value): value is JsonRecord => typeof value === "object" && value !== null,
  "must be an object",
);
const inputField = listOrOne(
  listField(item, 0, itemsMax),
  field((value) => typeof value === "string", "must be a text or a list of items"),
);

const messageMembers = ["input", "instructions"];

const responsesRequest = objectField({
  model: modelName,
  input: optional(inputField),
  stream: switchField,
  background: optional(
    field(
      (value) => value === false,
      "is not offered: the gateway cannot bill an answer that comes later",
    ),
  ),
  max_output_tokens: tokenLimit,
});

function parseRequest(json: unknown, isEstimateRough: boolean): ParsedRequest {
  const { model, input, stream } = parseBody(responsesRequest, json, "invalid_text_request");
  const { instructions } = json as { instructions?: unknown };
  const comparesCache = compareWith(json as JsonRecord) !== undefined;
  const namesItems = comparesCache || (Array.isArray(input) && input.some(isReadById));
  const items =
    typeof input === "string"
      ? [{ content: input }]
      : (input ?? []).map((content) => ({ content }));
  return {
    model,
    isStream: stream === true,
    wantsUsage: true,
    streamOptions: {},
    maxOutputTokens: parseOutputLimit(json),
    choiceCount: parseAnswers(json),
    promptEstimate: estimatePromptTokens(
      [...items, { content: instructions }],
      json as JsonRecord,
      isEstimateRough,
      messageMembers,
    ),
    ...buildSessionsAsked(json as JsonRecord),
    refersTo: parseReference(json as Record<string, unknown>),
    ...(namesItems && { namesItems }),
    ...(Array.isArray(input) && input.some(isCompactionItem) && { ownApiFor: "compaction" }),
  };
}

/** A conversation that its provider shortened, or the wish that it be shortened. */
export const isCompactionItem = ({ type }: JsonRecord): boolean =>
  text(type).startsWith("compaction");

const referenceFields = ["previous_response_id", "conversation", "prompt"];

function parseReference(json: Record<string, unknown>): string | undefined {
  const { input } = json;
  const hasItem = Array.isArray(input) && input.some(isItemReference);
  return (
    referenceFields.find((name) => json[name] !== undefined && json[name] !== null) ??
    (hasItem ? "input" : undefined)
  );
}

function writeBody(
  call: AskedModel & SentBody,
  model: string,
  systemPrompt: string | null,
): Buffer {
  return patchBody(
    call,
    model,
    systemPrompt === null ? {} : { instructions: JSON.stringify(systemPrompt) },
  );
}

/**
 * `isToolOutput` finds the answers of a provider's tools: items of their own, or members that are
 * left out anyway.
 */
const isToolOutput = ({ type }: JsonRecord): boolean => text(type).endsWith("_output");

/**
 * `buildWrittenItem` gives what the model wrote of an item: text, reasoning, arguments, code,
 * patches; a picture by its usual tokens.
 */
function buildWrittenItem(item: JsonRecord): WrittenOutput {
  if (isToolOutput(item)) return parseWritten(undefined);
  if (item.type === "image_generation_call")
    return parseWritten({ data: text(item.result), mimeType: "image/" });
  return parseWritten(item);
}

function readReply(json: JsonRecord): ReplyFacts | undefined {
  const { object, output, status } = json;
  if (object !== "response" || !Array.isArray(output)) return undefined;
  // One that waits or was cut at its limit may have no item yet.
  if (status === "completed" && output.length === 0) return undefined;
  return {
    usage: findUsageOfResponse(json),
    ...buildWrittenReply(joinOutput(records(output).map(buildWrittenItem))),
    served: findServedTerms(json),
  };
}

/** A response that failed is none that ended, whatever its event is called. */
const failedStatuses = new Set<unknown>(["failed", "cancelled"]);
const unfinishedStatuses = new Set<unknown>(["queued", "in_progress"]);

/** An answer that its provider has not finished is no answer: it was not asked to go on alone. */
const findUnfinished = ({ object, status }: JsonRecord): ErrorInBody | undefined =>
  object === "response" && unfinishedStatuses.has(status)
    ? { status: 502, message: `The provider's response is ${String(status)}`, code: null }
    : undefined;

/**
 * A reply that failed or was cancelled has a successful HTTP status and reports the failure in its
 * `status`.
 */
function findError({
  object,
  status,
  error,
}: Readonly<Record<string, unknown>>): ErrorInBody | undefined {
  if (object !== "response" || !failedStatuses.has(status)) return undefined;
  const { code, type, message } = record(error);
  return {
    status: findNamedStatus(code) ?? findNamedStatus(type) ?? 500,
    message: text(message) || "no reason given",
    code: text(code) || null,
  };
}

const ignoredEvent: StreamEventFacts = { kind: "other", textBytes: 0 };
const malformedEvent: StreamEventFacts = { kind: "malformed", textBytes: 0 };
const finalEvents = [
  "response.completed",
  "response.incomplete",
  "response.failed",
  "response.cancelled",
];
const cancelled: JsonRecord = { code: "cancelled", message: "The provider cancelled the response" };

function createEventReader(): StreamEventReader {
  /** Items of which deltas have arrived. */
  const streamedItems = new Set<string>();
  const containers = new Set<string>();

  function readDelta(event: string, name: string): StreamEventFacts {
    streamedItems.add(readDigits(event, "output_index"));
    const delta = readText(event, ["delta"]);
    if (/\baudio\.delta$/.test(name))
      return buildWrittenFacts(parseWritten({ data: delta, mimeType: "audio/" }));
    return delta === ""
      ? buildWrittenFacts(parseWritten(parseObject(event).delta))
      : buildTextFacts(delta);
  }

  /** `readItem` reads items that arrive as a whole only: patches, commands, pictures. */
  function readItem(event: string): StreamEventFacts {
    const item = record(parseObject(event).item);
    const bucket = findSearchBucket(item);
    if (bucket) return { kind: "content", textBytes: 0, extras: { [bucket]: 1 } };
    const facts = streamedItems.has(readDigits(event, "output_index"))
      ? ignoredEvent
      : buildWrittenFacts(buildWrittenItem(item));
    const container = ranInContainer(item) ? findContainer(item) : undefined;
    if (container === undefined || containers.has(container)) return facts;
    containers.add(container);
    return { ...facts, kind: "content", extras: { container_sessions: 1 } };
  }

  return (event): StreamEventFacts => {
    const eventData = findEventText(event);
    if (!eventData) return ignoredEvent;
    if (!isObject(eventData)) return malformedEvent;
    const { text, from, end } = eventData;
    const type = ownValueStart(text, "type", from);
    const typeEnd = text.indexOf('"', type + 1);
    const name = text.slice(type + 1, typeEnd);
    const data = text.slice(from, end);
    if (name.endsWith(".delta")) return readDelta(data, name);
    if (name === "response.output_item.done") return readItem(data);
    return name === "error" || finalEvents.includes(name)
      ? readParsedEvent(data, name)
      : ignoredEvent;
  };
}

function readDigits(event: string, member: string): string {
  const start = computeValueStart(event, member);
  return start < 0 ? "" : (/^\d+/.exec(event.slice(start, start + indexLengthMax))?.[0] ?? "");
}

const indexLengthMax = 10;

const hasReason = ({ code, message }: JsonRecord): boolean =>
  text(code) !== "" || text(message) !== "";

function readParsedEvent(data: string, name: string): StreamEventFacts {
  try {
    const event = record(JSON.parse(data));
    const response = record(event.response);
    // OpenAI puts the error into the event itself, or into a member of it.
    if (name === "error") return { kind: "error", textBytes: 0, error: event.error ?? event };
    const usage = findUsageOfResponse(response);
    if (name === "response.failed" || failedStatuses.has(response.status)) {
      const error =
        response.error ??
        event.error ??
        (hasReason(event) ? event : response.status === "cancelled" ? cancelled : undefined);
      // Some servers tell the reason in an event behind it.
      if (!error) return { ...ignoredEvent, isHidden: true, ...(usage && { usage }) };
      return { kind: "error", textBytes: 0, error, ...(usage && { usage }) };
    }
    const served = findServedTerms(response);
    const isEmpty = name === "response.completed" && records(response.output).length === 0;
    return {
      ...{ kind: "done", textBytes: 0, isLast: true, badEnd: isEmpty ? "empty" : undefined },
      ...(usage && { usage }),
      ...(served && { served }),
    };
  } catch {
    return malformedEvent;
  }
}

export const responses: ClientFormat = {
  endpoint: "response_api",
  parseRequest,
  writeOutputLimit: createLimitWriter("max_output_tokens"),
  // Codex sends the last one to OpenAI itself.
  passedHeaders: ["openai-beta", "session-id"],
  errorFormat: responsesErrors,
  upstream: {
    endpoint: "response_api",
    writeBody,
    replies: {
      ...streamOrJson,
      streamFromReply: streamResponsesReply,
      replyFromStream: foldResponsesEvents,
    },
    readReply,
    errorIn: (json) => findError(json) ?? findUnfinished(json),
    createEventReader,
    // The last event carries the whole reply, which the gateway cannot make up.
    terminator: "",
  },
};

/** An operation of the API, below its address; Azure's has a query. */
export function buildAddress(endpointUrl: URL, operation: string): URL {
  const url = new URL(endpointUrl);
  url.pathname += `/${operation}`;
  return url;
}

/**
 * Reading or deleting what a provider keeps: `below` is the address below that of the API, with its
 * query.
 */
export const buildResponsesAccess = (method: "GET" | "DELETE", below: string): ClientFormat => ({
  ...responses,
  upstream: {
    ...responses.upstream,
    errorIn: findError,
    method,
    writeBody: () => Buffer.alloc(0),
    urlFor(endpointUrl) {
      const [path = "", query = ""] = below.split("?", 2);
      const url = buildAddress(endpointUrl, path);
      for (const [name, value] of new URLSearchParams(query)) url.searchParams.append(name, value);
      return url;
    },
  },
});

export const responsesCounter: TokenCounter = {
  format: {
    ...responses,
    upstream: {
      ...responses.upstream,
      urlFor: (endpointUrl) => buildAddress(endpointUrl, "input_tokens"),
    },
  },
  totalField: "input_tokens",
  members: { object: "response.input_tokens" },
};
