/**
 * Converse: Bedrock's common API for the models of many vendors. No client speaks it; calls are translated into it.
 * Its streams use Amazon's own framing, which the provider turns into the events that are read here.
 */
import { eventText, isObject, textIn } from "../wire/event-text.ts";
import { type JsonRecord, parsedObject, record, records, text } from "../wire/json-parts.ts";
import { withMembers } from "../wire/json-spans.ts";
import type { RelayCall, ReplyFacts, StreamEventFacts, StreamEventReader, UpstreamFormat } from "./api-format.ts";
import { parseConverseUsage } from "./converse-usage.ts";
import { streamOrJson, textFacts, writtenFacts, writtenReply } from "./reply-facts.ts";
import type { ReportedUsage } from "./reported-usage.ts";
import { joinedOutput, type WrittenOutput, writtenIn } from "./written-output.ts";

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
