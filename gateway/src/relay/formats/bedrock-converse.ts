/**
 * Converse: Bedrock's common API for the models of many vendors. No client speaks it; calls are translated into it.
 * Its streams use Amazon's own framing, which the provider turns into the events that are read here.
 */
import { noUsage, promptTokens } from "../../money/price.ts";
import { eventText, isObject, textIn } from "../wire/event-text.ts";
import { isRecord, type JsonRecord, parsedObject, record, records, text } from "../wire/json-parts.ts";
import { withMembers } from "../wire/json-spans.ts";
import type { RelayCall, ReplyFacts, StreamEventFacts, StreamEventReader, UpstreamFormat } from "./api-format.ts";
import { streamOrJson, textFacts, writtenFacts, writtenReply } from "./reply-facts.ts";
import { type ReportedUsage, tokenCount } from "./reported-usage.ts";
import { joinedOutput, type WrittenOutput, writtenIn } from "./written-output.ts";

/** Unlike OpenAI's count, the input excludes cached tokens. Undefined when every count is 0. */
export function parseConverseUsage(wire: unknown): ReportedUsage | undefined {
  if (!isRecord(wire)) return undefined;
  const cacheWrites = tokenCount(wire.cacheWriteInputTokens ?? wire.cacheWriteInputTokenCount) ?? 0;
  const hourlyCacheWrites = records(wire.cacheDetails)
    .filter(({ ttl }) => ttl === "1h")
    .reduce((sum, { inputTokens }) => sum + (tokenCount(inputTokens) ?? 0), 0);
  const cache_write_1h = Math.min(hourlyCacheWrites, cacheWrites);
  const usage = {
    ...noUsage,
    input: tokenCount(wire.inputTokens) ?? 0,
    cache_read: tokenCount(wire.cacheReadInputTokens ?? wire.cacheReadInputTokenCount) ?? 0,
    cache_write_5m: cacheWrites - cache_write_1h,
    cache_write_1h,
    output: tokenCount(wire.outputTokens) ?? 0,
  };
  if (Object.values(usage).every((tokens) => tokens === 0)) return undefined;
  const isPromptUncounted = promptTokens(usage) === 0 && tokenCount(wire.inputTokens) === undefined;
  return {
    usage,
    hiddenOutput: 0,
    isCorrected: false,
    ...(isPromptUncounted && { isPromptUncounted }),
    wire: { family: "converse", members: wire },
  };
}

/** Reasoning that is charged but not shown: the provider does not report its share of the output. */
const withHiddenOutput = (readUsage: ReportedUsage | undefined): ReportedUsage | undefined =>
  readUsage && { ...readUsage, hiddenOutput: readUsage.usage.output };

/** Replaces reasoning that the provider does not show. */
const redactedMark = "[REDACTED]";

function writtenBlock(block: JsonRecord): WrittenOutput {
  const { toolUse, toolResult: _, ...rest } = block;
  return writtenIn([rest, toolUse === undefined ? undefined : JSON.stringify(record(toolUse).input ?? {})]);
}

function isHiddenBlock({ reasoningContent }: JsonRecord): boolean {
  const { redactedContent, reasoningText } = record(reasoningContent);
  return redactedContent !== undefined || text(record(reasoningText).text).includes(redactedMark);
}

function readReply({ output, usage }: JsonRecord): ReplyFacts | undefined {
  const { content } = record(record(output).message);
  if (!Array.isArray(content)) return undefined;
  const blocks = records(content);
  const readUsage = parseConverseUsage(usage);
  return {
    usage: blocks.some(isHiddenBlock) ? withHiddenOutput(readUsage) : readUsage,
    ...writtenReply(joinedOutput(blocks.map(writtenBlock))),
  };
}

const ignoredEvent: StreamEventFacts = { kind: "other", textBytes: 0 };
const malformedEvent: StreamEventFacts = { kind: "malformed", textBytes: 0 };
const lastEvent: StreamEventFacts = { ...ignoredEvent, isLast: true };
const deltaPrefix = '{"contentBlock';
/** Text, reasoning and tool arguments. */
const textMembers = ["text", "input"];

function createEventReader(): StreamEventReader {
  let hasHidden = false;
  // Usually the reason comes first and the usage ends the stream; some models send them the other way round.
  let hasStopped = false;
  let hasUsage = false;
  return (event) => {
    const eventData = eventText(event);
    if (!eventData) return ignoredEvent;
    if (!isObject(eventData)) return malformedEvent;
    const data = eventData.text.slice(eventData.from);
    // Nearly all events are deltas: searched as text, not parsed.
    if (data.startsWith(deltaPrefix)) {
      hasHidden ||=
        data.includes('"redactedContent"') || (data.includes('"reasoningContent"') && data.includes(redactedMark));
      const written = textIn(data, textMembers);
      return written === ""
        ? writtenFacts(writtenIn(record(parsedObject(data).contentBlockDelta).delta))
        : textFacts(written);
    }
    const { error, messageStop, metadata } = parsedObject(data);
    if (error !== undefined) return { kind: "error", textBytes: 0, error };
    if (metadata !== undefined) {
      const readUsage = parseConverseUsage(record(metadata).usage);
      const usage = hasHidden ? withHiddenOutput(readUsage) : readUsage;
      hasUsage = true;
      return { ...lastEvent, kind: hasStopped ? "done" : "other", ...(usage && { usage }) };
    }
    if (messageStop === undefined) return ignoredEvent;
    hasStopped = true;
    return hasUsage ? { ...lastEvent, kind: "done" } : lastEvent;
  };
}

function writeBody({ body }: RelayCall, _model: string, systemPrompt: string | null): Buffer {
  return systemPrompt === null ? body : withMembers(body, { system: JSON.stringify([{ text: systemPrompt }]) });
}

export const bedrockConverse: UpstreamFormat = {
  endpoint: "bedrock_converse",
  writeBody,
  replies: streamOrJson,
  urlFor: (endpointUrl, { isStream }) => (isStream ? new URL(`${endpointUrl.href}-stream`) : endpointUrl),
  readReply,
  createEventReader,
  terminator: "",
};
