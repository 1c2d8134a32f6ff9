/**
 * Converse: Bedrock's one interface for the models of many makers. No caller speaks it; calls are translated into it.
 * Its streams are of Amazon's own kind: the events that are read here are what the framing of the provider writes.
 */
import { noUsage } from "../../money/price.ts";
import { eventText, isObject, textIn } from "../event-text.ts";
import { isRecord, type Json, parsedObject, record, records, text } from "../json-parts.ts";
import { withMembers } from "../json-spans.ts";
import { type ReadUsage, tokenCount } from "../usage.ts";
import { openAiWording } from "./open-ai-wording.ts";
import { saying } from "./saying.ts";
import type { AnswerFacts, Call, EventFacts, ReadEvent, Shape } from "./shape.ts";

/** Unlike OpenAI's, the input is plain input alone. Undefined when it counts nothing. */
export function converseUsage(wire: unknown): ReadUsage | undefined {
  if (!isRecord(wire)) return undefined;
  const written = tokenCount(wire.cacheWriteInputTokens) ?? 0;
  const forAnHour = records(wire.cacheDetails)
    .filter(({ ttl }) => ttl === "1h")
    .reduce((sum, { inputTokens }) => sum + (tokenCount(inputTokens) ?? 0), 0);
  const cache_write_1h = Math.min(forAnHour, written);
  const usage = {
    ...noUsage,
    input: tokenCount(wire.inputTokens) ?? 0,
    cache_read: tokenCount(wire.cacheReadInputTokens) ?? 0,
    cache_write_5m: written - cache_write_1h,
    cache_write_1h,
    output: tokenCount(wire.outputTokens) ?? 0,
  };
  return Object.values(usage).every((tokens) => tokens === 0) ? undefined : { usage, hidden: 0, isFlagged: false };
}

/** Thoughts that are paid for and not shown: nobody says how many tokens of the output they are. */
const withHidden = (read: ReadUsage | undefined): ReadUsage | undefined =>
  read && { ...read, hidden: read.usage.output };

/** In place of thoughts that a model keeps to itself. */
const redacted = "[REDACTED]";

function writtenIn(block: Json): string {
  if (typeof block.text === "string") return block.text;
  if (block.toolUse !== undefined) return JSON.stringify(record(block.toolUse).input ?? {});
  const cited = records(record(block.citationsContent).content).map((part) => text(part.text));
  return text(record(record(block.reasoningContent).reasoningText).text) + cited.join("");
}

function isHidden({ reasoningContent }: Json): boolean {
  const { redactedContent, reasoningText } = record(reasoningContent);
  return redactedContent !== undefined || text(record(reasoningText).text).includes(redacted);
}

function answer({ output, usage }: Json): AnswerFacts | undefined {
  const { content } = record(record(output).message);
  if (!Array.isArray(content)) return undefined;
  const blocks = records(content);
  const read = converseUsage(usage);
  return { usage: blocks.some(isHidden) ? withHidden(read) : read, text: blocks.map(writtenIn).join("") };
}

const nothing: EventFacts = { kind: "other", textBytes: 0 };
const damaged: EventFacts = { kind: "damaged", textBytes: 0 };
const last: EventFacts = { ...nothing, isLast: true };
const delta = '{"contentBlock';
/** Words and thoughts, and the arguments of tools. */
const textMembers = ["text", "input"];

function events(): ReadEvent {
  let hasHidden = false;
  return (event) => {
    const seen = eventText(event);
    if (!seen) return nothing;
    if (!isObject(seen)) return damaged;
    const data = seen.text.slice(seen.from);
    // Nearly all of them: looked at as text.
    if (data.startsWith(delta)) {
      hasHidden ||=
        data.includes('"redactedContent"') || (data.includes('"reasoningContent"') && data.includes(redacted));
      return saying(textIn(data, textMembers));
    }
    const { error, messageStop, metadata } = parsedObject(data);
    if (error !== undefined) return { kind: "error", textBytes: 0, error };
    if (metadata !== undefined) {
      const read = converseUsage(record(metadata).usage);
      const usage = hasHidden ? withHidden(read) : read;
      return { ...last, kind: "done", ...(usage && { usage }) };
    }
    return messageStop === undefined ? nothing : last;
  };
}

function bodyFor({ body }: Call, _model: string, systemPrompt: string | null): Buffer {
  return systemPrompt === null ? body : withMembers(body, { system: JSON.stringify([{ text: systemPrompt }]) });
}

export const bedrockConverse: Shape = {
  entry: "bedrock_converse",
  read: () => {
    throw new TypeError("nobody calls by Converse");
  },
  passedHeaders: [],
  bodyFor,
  address: (entry, { isStream }) => (isStream ? new URL(`${entry.href}-stream`) : entry),
  answer,
  events,
  terminator: "",
  wording: openAiWording,
  probe: (_model, question, maxTokens) => ({
    messages: [{ role: "user", content: [{ text: question }] }],
    inferenceConfig: { maxTokens },
  }),
};
