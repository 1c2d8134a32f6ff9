/** Responses: OpenAI's newer interface. */
import * as z from "zod/mini";
import { estimatePromptTokens } from "../estimate.ts";
import { eventText, isObject, textIn, valueStart } from "../event-text.ts";
import { record, text } from "../json-parts.ts";
import type { ReadUsage } from "../usage.ts";
import { bodyWith } from "./body-with.ts";
import { modelName, tokenLimit } from "./fields.ts";
import { usageFrom } from "./open-ai-usage.ts";
import { openAiWording } from "./open-ai-wording.ts";
import { readAsked } from "./read-asked.ts";
import { saying } from "./saying.ts";
import type { AnswerFacts, Asked, Call, EventFacts, Failure, Shape, Wording } from "./shape.ts";

const itemsMax = 100_000;

const item = z.custom<Record<string, unknown>>(
  (value) => typeof value === "object" && value !== null,
  "must be an object",
);

const request = z.object({
  model: modelName,
  input: z.optional(z.nullable(z.union([z.string(), z.array(item).check(z.maxLength(itemsMax))]))),
  stream: z.optional(z.nullable(z.boolean())),
  background: z.optional(
    z.nullable(z.literal(false, "is not offered: the gateway cannot bill an answer that comes later")),
  ),
  max_output_tokens: tokenLimit,
});

function read(json: unknown, isEstimateRough: boolean): Asked {
  const { model, input, stream, max_output_tokens } = readAsked(request, json, "invalid_text_request");
  const { instructions, tools } = json as { instructions?: unknown; tools?: unknown };
  const items = typeof input === "string" ? [{ content: input }] : (input ?? []).map((content) => ({ content }));
  return {
    model,
    isStream: stream === true,
    wantsUsage: true,
    streamOptions: {},
    maxTokens: max_output_tokens ?? undefined,
    answers: 1,
    promptEstimate: estimatePromptTokens([...items, { content: instructions }], tools, isEstimateRough),
    refersTo: referenceIn(json as Record<string, unknown>),
  };
}

const references = ["previous_response_id", "conversation", "prompt"];

function referenceIn(json: Record<string, unknown>): string | undefined {
  const { input } = json;
  const hasItem = Array.isArray(input) && input.some(({ type }: { type?: unknown }) => type === "item_reference");
  return references.find((name) => json[name] !== undefined && json[name] !== null) ?? (hasItem ? "input" : undefined);
}

function bodyFor(call: Call, model: string, systemPrompt: string | null): Buffer {
  return bodyWith(call, model, systemPrompt === null ? {} : { instructions: JSON.stringify(systemPrompt) });
}

interface OutputItem {
  type?: unknown;
  arguments?: unknown;
  content?: readonly OutputPart[];
  summary?: readonly OutputPart[];
}

type OutputPart = { text?: unknown; refusal?: unknown } | null;

function answer({ object, output, usage }: Readonly<Record<string, unknown>>): AnswerFacts | undefined {
  if (object !== "response" || !Array.isArray(output)) return undefined;
  const written = output.flatMap((entry: OutputItem | null) => {
    const parts = [entry?.summary, entry?.content].flatMap((list) => (Array.isArray(list) ? list : []));
    const said = parts.flatMap((part: OutputPart) => [part?.text, part?.refusal]);
    return [...said, entry?.arguments].filter((text) => typeof text === "string");
  });
  return { usage: withSearches(usageFrom(usage), output), text: written.join("") };
}

const failures: Readonly<Record<string, number>> = { rate_limit_exceeded: 429, invalid_prompt: 400 };

/** An answer that the model did not get to its end says so in its status alone. */
function failure({ object, status, error }: Readonly<Record<string, unknown>>): Failure | undefined {
  if (object !== "response" || status !== "failed") return undefined;
  const { code, message } = record(error);
  return {
    status: failures[text(code)] ?? 500,
    message: text(message) || "no reason given",
    code: text(code) || null,
  };
}

const searches = { web_search_call: "web_searches", file_search_call: "file_searches" } as const;

/** What the provider looked up for an answer is charged by the call. */
function withSearches(read: ReadUsage | undefined, output: unknown): ReadUsage | undefined {
  if (!read || !Array.isArray(output)) return read;
  const usage = { ...read.usage };
  for (const [type, bucket] of Object.entries(searches)) {
    const calls = output.filter((item: OutputItem | null) => item?.type === type).length;
    if (calls > 0) usage[bucket] = calls;
  }
  return { ...read, usage };
}

const nothing: EventFacts = { kind: "other", textBytes: 0 };
const damaged: EventFacts = { kind: "damaged", textBytes: 0 };
const endings = ["response.completed", "response.incomplete", "response.failed"];

function readEvent(event: string): EventFacts {
  const seen = eventText(event);
  if (!seen) return nothing;
  if (!isObject(seen)) return damaged;
  const { text, from } = seen;
  const type = valueStart(text, "type", from);
  const typeEnd = text.indexOf('"', type + 1);
  const name = text.slice(type + 1, typeEnd);
  if (name.endsWith(".delta")) return saying(textIn(text, ["delta"]));
  return name === "error" || endings.includes(name) ? parsed(text.slice(from), name) : nothing;
}

function parsed(text: string, name: string): EventFacts {
  try {
    const event = JSON.parse(text) as { response?: { usage?: unknown; output?: unknown; error?: unknown } };
    if (name === "error") return { kind: "error", textBytes: 0, error: event };
    if (name === "response.failed") return { kind: "error", textBytes: 0, error: event.response?.error ?? event };
    const usage = withSearches(usageFrom(event.response?.usage), event.response?.output);
    return { kind: "done", textBytes: 0, isLast: true, ...(usage && { usage }) };
  } catch {
    return damaged;
  }
}

const wording: Wording = {
  body: openAiWording.body,
  streamEnd: ({ type, message, code, param }, requestId) => {
    const error = {
      type: "error",
      code: code ?? type,
      message: `${message} (request id: ${requestId})`,
      param: param ?? null,
    };
    return `event: error\ndata: ${JSON.stringify(error)}\n\n`;
  },
};

export const responses: Shape = {
  entry: "response_api",
  read,
  passedHeaders: ["openai-beta"],
  bodyFor,
  answer,
  failure,
  events: () => readEvent,
  // Its last event carries the whole answer: nothing that we could make up in its place.
  terminator: "",
  wording,
  probe: (model, input, max_output_tokens) => ({ model, input, max_output_tokens }),
};
