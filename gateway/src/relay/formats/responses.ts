/** Responses: OpenAI's newer API. */
import { type ExtraBucket, noUsage, type Usage } from "../../money/prices/price.ts";
import {
  computeValueStart,
  findEventText,
  isObject,
  ownValueStart,
  readText,
} from "../wire/event-text.ts";
import {
  isRecord,
  type JsonRecord,
  parseObject,
  record,
  records,
  text,
} from "../wire/json-parts.ts";
import type {
  ClientFormat,
  ErrorInBody,
  ParsedRequest,
  RelayCall,
  ReplyFacts,
  StreamEventFacts,
  StreamEventReader,
  TokenCounter,
} from "./api-format.ts";
import {
  buildSessionsAsked,
  collectContainers,
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
import { foldResponsesEvents } from "./stream-as-whole.ts";
import { parseOpenAiUsage } from "./usage/openai-usage.ts";
import { findTokenCount, type ReportedUsage } from "./usage/reported-usage.ts";
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

function writeBody(call: RelayCall, model: string, systemPrompt: string | null): Buffer {
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

const failureStatuses: Readonly<Record<string, number>> = {
  rate_limit_exceeded: 429,
  invalid_prompt: 400,
};

/** A failed reply has a successful HTTP status and reports the failure in its `status`. */
function findError({
  object,
  status,
  error,
}: Readonly<Record<string, unknown>>): ErrorInBody | undefined {
  if (object !== "response" || status !== "failed") return undefined;
  const { code, message } = record(error);
  return {
    status: failureStatuses[text(code)] ?? 500,
    message: text(message) || "no reason given",
    code: text(code) || null,
  };
}

const searchBuckets: Readonly<Record<string, ExtraBucket>> = {
  web_search_call: "web_searches",
  // xAI's searches of X, at the price of a search of the web.
  x_search_call: "web_searches",
  file_search_call: "file_searches",
};

/**
 * The bucket of a search that the provider ran. A page that is opened, and what is looked for in
 * it, is no search: https://developers.openai.com/api/docs/guides/tools-web-search names search
 * actions alone as charged.
 */
function findSearchBucket({ type, action }: JsonRecord): ExtraBucket | undefined {
  const { type: kind = "search" } = record(action);
  return kind === "search" ? searchBuckets[text(type)] : undefined;
}

/**
 * A container that is not named cannot be told from one that runs already; pictures have tokens,
 * which older answers leave out; and the model that writes vectors has a price of its own.
 */
function hasUnknownFee({ output, tool_usage, usage }: JsonRecord): boolean {
  if (isRecord(record(usage).server_side_tool_usage_details)) return false;
  const countsPictures = isRecord(record(tool_usage).image_gen);
  return records(output).some(
    (item) =>
      (ranInContainer(item) && findContainer(item) === undefined) ||
      (item.type === "image_generation_call" && (!countsPictures || isRecord(item.svg_usage))),
  );
}

/**
 * A program of the model that runs on asks no model: the provider counts 0 of everything, and that
 * is what it bills.
 */
function findUsageOfProgram({ usage, output }: JsonRecord): ReportedUsage | undefined {
  const isOfProgram = (item: JsonRecord): boolean => record(item.caller).type === "program";
  const items = records(output);
  if (record(usage).total_tokens !== 0 || items.length === 0 || !items.every(isOfProgram))
    return undefined;
  return {
    usage: { ...noUsage },
    hiddenOutput: 0,
    isCorrected: false,
    wire: { family: "openai", members: record(usage) },
  };
}

/**
 * Containers and searches are charged by xAI's count of those that it bills, else by the items that
 * show them, or more where a count says so.
 */
export function findUsageOfResponse(response: JsonRecord): ReportedUsage | undefined {
  const reported = parseOpenAiUsage(response.usage) ?? findUsageOfProgram(response);
  if (!reported) return undefined;
  const usage = { ...reported.usage };
  const { image_gen, web_search } = record(response.tool_usage);
  // https://docs.x.ai/developers/tools/tool-usage-details: searches that failed are shown, and not
  // billed.
  const { server_side_tool_usage_details: billedCalls } = record(response.usage);
  if (!isRecord(billedCalls)) {
    for (const item of records(response.output)) {
      const bucket = findSearchBucket(item);
      if (bucket) usage[bucket] = (usage[bucket] ?? 0) + 1;
    }
    const { size: containers } = collectContainers(records(response.output));
    if (containers > 0) usage.container_sessions = containers;
  }
  const searches = findTokenCount(record(web_search).num_requests) ?? 0;
  if (searches > 0) usage.web_searches = Math.max(usage.web_searches ?? 0, searches);
  addImageTool(usage, record(image_gen));
  const members = {
    ...record(response.usage),
    ...(isRecord(response.tool_usage) && { tool_usage: response.tool_usage }),
  };
  return {
    ...reported,
    usage,
    wire: { family: "openai", members },
    hiddenOutput: reported.hiddenOutput + (usage.output_image ?? 0),
    ...(hasUnknownFee(response) && { hasUnknownFee: true }),
  };
}

/**
 * The tool that draws is counted beside the model. Its tokens are charged at the model's rates for
 * pictures.
 */
function addImageTool(usage: Usage, tool: JsonRecord): void {
  const prompt = findTokenCount(tool.input_tokens) ?? 0;
  const output_image = findTokenCount(tool.output_tokens) ?? 0;
  const pictures = Math.min(
    findTokenCount(record(tool.input_tokens_details).image_tokens) ?? 0,
    prompt,
  );
  const { cached_image_tokens } = record(tool.cached_tokens_details);
  const cached = Math.min(findTokenCount(tool.cached_tokens) ?? 0, prompt);
  const cache_read_image = Math.min(findTokenCount(cached_image_tokens) ?? 0, cached, pictures);
  const cachedText = Math.min(cached - cache_read_image, prompt - pictures);
  usage.input += prompt - pictures - cachedText;
  usage.cache_read += cachedText;
  const input_image = pictures - cache_read_image;
  if (input_image > 0) usage.input_image = (usage.input_image ?? 0) + input_image;
  if (cache_read_image > 0)
    usage.cache_read_image = (usage.cache_read_image ?? 0) + cache_read_image;
  if (output_image > 0) usage.output_image = (usage.output_image ?? 0) + output_image;
}

const ignoredEvent: StreamEventFacts = { kind: "other", textBytes: 0 };
const malformedEvent: StreamEventFacts = { kind: "malformed", textBytes: 0 };
const finalEvents = ["response.completed", "response.incomplete", "response.failed"];

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

  return (event) => {
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
    if (name === "response.failed") {
      const error = response.error ?? event.error ?? (hasReason(event) ? event : undefined);
      // Some servers tell the reason in an event behind it.
      if (!error) return { ...ignoredEvent, isHidden: true, ...(usage && { usage }) };
      return { kind: "error", textBytes: 0, error, ...(usage && { usage }) };
    }
    const served = findServedTerms(response);
    const isEmptyEnd = name === "response.completed" && records(response.output).length === 0;
    return {
      ...{ kind: "done", textBytes: 0, isLast: true, isEmptyEnd },
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
    errorIn: findError,
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
