/**
 * Converse: Bedrock's common API for the models of many vendors. No client speaks it; calls are
 * translated into it. Its streams use Amazon's own framing, which the provider turns into the
 * events that are read here.
 */
import { findEventText, isObject, readText } from "../wire/event-text.ts";
import { type JsonRecord, parseObject, record, records, text } from "../wire/json-parts.ts";
import { addMembers } from "../wire/json-spans.ts";
import type {
  ErrorInBody,
  ReplyFacts,
  StreamEventFacts,
  StreamEventReader,
  UpstreamFormat,
} from "./api-format.ts";
import type { SentBody } from "./call-parts.ts";
import {
  buildTextFacts,
  buildWrittenFacts,
  buildWrittenReply,
  isEmptyTurn,
  streamOrJson,
} from "./reply-facts.ts";
import { parseConverseUsage } from "./usage/converse-usage.ts";
import type { ReportedUsage } from "./usage/reported-usage.ts";
import { joinOutput, parseWritten, type WrittenOutput } from "./usage/written-output.ts";

/**
 * Reasoning that is charged but not shown: the provider does not report its share of the output.
 */
const addHiddenOutput = (readUsage: ReportedUsage | undefined): ReportedUsage | undefined =>
  readUsage && { ...readUsage, hiddenOutput: readUsage.usage.output };

/** Replaces reasoning that the provider does not show. */
const redactedMark = "[REDACTED]";

function buildWrittenBlock(block: JsonRecord): WrittenOutput {
  const { toolUse, toolResult: _, ...rest } = block;
  return parseWritten([
    rest,
    toolUse === undefined ? undefined : JSON.stringify(record(toolUse).input ?? {}),
  ]);
}

function isHiddenBlock({ reasoningContent }: JsonRecord): boolean {
  const { redactedContent, reasoningText } = record(reasoningContent);
  return redactedContent !== undefined || text(record(reasoningText).text).includes(redactedMark);
}

function readReply({ output, usage, stopReason }: JsonRecord): ReplyFacts | undefined {
  const { content } = record(record(output).message);
  if (!Array.isArray(content)) return undefined;
  if (stopReason === "end_turn" && isEmptyTurn(content, record(usage).outputTokens))
    return undefined;
  const blocks = records(content);
  const readUsage = parseConverseUsage(usage);
  return {
    usage: blocks.some(isHiddenBlock) ? addHiddenOutput(readUsage) : readUsage,
    ...buildWrittenReply(joinOutput(blocks.map(buildWrittenBlock))),
  };
}

/** The model wrote what Amazon could not read: the answer is no finished one. */
const failedReasons = new Set<unknown>(["malformed_model_output", "malformed_tool_use"]);

const findFailedEnd = ({ stopReason }: JsonRecord): ErrorInBody | undefined =>
  failedReasons.has(stopReason)
    ? {
        status: 502,
        message: `The provider broke the answer off: ${text(stopReason)}`,
        code: null,
      }
    : undefined;

const ignoredEvent: StreamEventFacts = { kind: "other", textBytes: 0 };
const malformedEvent: StreamEventFacts = { kind: "malformed", textBytes: 0 };
const lastEvent: StreamEventFacts = { ...ignoredEvent, isLast: true };
const deltaPrefix = '{"contentBlock';
/** Text, reasoning and tool arguments. */
const textMembers = ["text", "input"];

function createEventReader(): StreamEventReader {
  let hasHidden = false;
  // Usually the reason comes first and the usage ends the stream; some models send them the other
  // way round.
  let hasStopped = false;
  let hasUsage = false;
  return (event): StreamEventFacts => {
    const eventData = findEventText(event);
    if (!eventData) return ignoredEvent;
    if (!isObject(eventData)) return malformedEvent;
    const data = eventData.text.slice(eventData.from);
    // Nearly all events are deltas: searched as text, not parsed.
    if (data.startsWith(deltaPrefix)) {
      hasHidden ||=
        data.includes('"redactedContent"') ||
        (data.includes('"reasoningContent"') && data.includes(redactedMark));
      const written = readText(data, textMembers);
      return written === ""
        ? buildWrittenFacts(parseWritten(record(parseObject(data).contentBlockDelta).delta))
        : buildTextFacts(written);
    }
    const { error, messageStop, metadata } = parseObject(data);
    if (error !== undefined) return { kind: "error", textBytes: 0, error };
    if (metadata !== undefined) {
      const readUsage = parseConverseUsage(record(metadata).usage);
      const usage = hasHidden ? addHiddenOutput(readUsage) : readUsage;
      hasUsage = true;
      return { ...lastEvent, kind: hasStopped ? "done" : "other", ...(usage && { usage }) };
    }
    if (messageStop === undefined) return ignoredEvent;
    const failed = findFailedEnd(record(messageStop));
    if (failed) return { kind: "error", textBytes: 0, error: failed, badEnd: "broken" };
    hasStopped = true;
    return hasUsage ? { ...lastEvent, kind: "done" } : lastEvent;
  };
}

function writeBody({ body }: SentBody, _model: string, systemPrompt: string | null): Buffer {
  return systemPrompt === null
    ? body
    : addMembers(body, { system: JSON.stringify([{ text: systemPrompt }]) });
}

export const bedrockConverse: UpstreamFormat = {
  endpoint: "bedrock_converse",
  writeBody,
  replies: streamOrJson,
  urlFor: (endpointUrl, { isStream }) =>
    isStream ? new URL(`${endpointUrl.href}-stream`) : endpointUrl,
  errorIn: findFailedEnd,
  readReply,
  createEventReader,
  terminator: "",
};
