/** The common parts of several translations of chat completions. */

import {
  computeCachedTokens,
  computeCompletionTokens,
  computeWrittenTokens,
  promptTokens,
  type Usage,
} from "../../money/prices/price.ts";
import { findEndReason } from "../formats/chat-end-reasons.ts";
import { isReasoningModel } from "../formats/hold-size/output-limit.ts";
import type { ReportedUsage } from "../formats/usage/reported-usage.ts";
import { canThink } from "../value-rules/claude-families.ts";
import { isToldToThink } from "../value-rules/thinking-effort.ts";
import { stripVendorName } from "../value-rules/vendors.ts";
import {
  isRecord,
  type JsonRecord,
  parseObject,
  present,
  readNumber,
  record,
  records,
  text,
} from "../wire/json-parts.ts";

/** Names of media that clients write and providers refuse. */
const registeredTypes: Readonly<Record<string, string>> = {
  "image/jpg": "image/jpeg",
  "image/pjpeg": "image/jpeg",
  "image/jpe": "image/jpeg",
  "image/jfif": "image/jpeg",
  "image/x-png": "image/png",
  "audio/x-wav": "audio/wav",
  "audio/mp3": "audio/mpeg",
  "application/x-pdf": "application/pdf",
};

/**
 * The parts of `data:image/png;base64,…`, with the registered name of the type and without its
 * parameters. Some clients name no type.
 */
export function composeDataUrl(url: string): { mediaType: string; data: string } | undefined {
  const [, named = "", data] =
    /^data:([^;,]{0,100})(?:;[\w.+-]+=[^;,]{0,100})*;base64,(.*)$/is.exec(url) ?? [];
  if (data !== undefined) return { mediaType: readMediaType(named, data), data };
  // Some clients send the bytes alone.
  const known = fileBeginnings.find(([beginning]) => url.startsWith(beginning));
  return known && { mediaType: known[1], data: url };
}

/** `pictureBeginnings` says how files of these types begin, in base64. */
const pictureBeginnings: readonly (readonly [string, string])[] = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
];

/** A picture's address, with its true type where it holds the bytes. */
export function fitPictureUrl(url: string): string {
  const inline = composeDataUrl(url);
  return inline ? `data:${inline.mediaType};base64,${inline.data}` : url;
}

const fileBeginnings: readonly (readonly [string, string])[] = [
  ...pictureBeginnings,
  ["JVBERi0", "application/pdf"],
];

/** Types of those that do not know it. */
const saysNothing = /^(?:|\*\/\*|application\/octet-stream|binary\/octet-stream)$/;

/**
 * The true type of a picture, whatever its client calls it: providers compare. Of anything else,
 * the registered name.
 */
export function readMediaType(named: string, data: string): string {
  const mediaType = named.trim().toLowerCase();
  const mayBePicture = mediaType.startsWith("image/") || saysNothing.test(mediaType);
  const found = mayBePicture
    ? fileBeginnings.find(([beginning]) => data.startsWith(beginning))
    : undefined;
  return found?.[1] ?? registeredTypes[mediaType] ?? mediaType;
}

/**
 * Content for chat completions: a plain string where it is text alone, which every provider
 * accepts.
 */
export const buildChatContent = (parts: readonly JsonRecord[]): unknown =>
  parts.every(({ type }) => type === "text")
    ? parts.map((part) => text(part.text)).join("\n\n")
    : parts;

/**
 * The reasoning text, by the member names that providers use: DeepSeek's, OpenRouter's, GitHub
 * Copilot's; Mistral's reasoning models answer in a list of parts. OpenRouter's details repeat the
 * text, where it stands beside them.
 */
export const formatReasoningText = ({
  reasoning_content,
  reasoning,
  reasoning_text,
  content,
  reasoning_details,
}: JsonRecord): string =>
  text(reasoning_content) ||
  text(reasoning) ||
  text(reasoning_text) ||
  records(content)
    .flatMap((part) => (part.type === "thinking" ? records(part.thinking) : []))
    .map((part) => text(part.text))
    .join("") ||
  records(reasoning_details)
    .map((part) => text(part.text) || text(part.summary))
    .join("");

/** Formats with one answer have the first choice, which is not the first of every event. */
export const buildFirstChoice = ({ choices }: JsonRecord): JsonRecord =>
  records(choices).find(({ index = 0 }) => index === 0) ?? {};

/** `ChoiceDeltas` reads what each event of one stream adds to a choice. */
export class ChoiceDeltas {
  #hasDelta = false;

  /** MiniMax repeats the whole message behind its deltas; others call their deltas messages. */
  read({ delta, message }: JsonRecord): JsonRecord {
    const added = delta ?? (this.#hasDelta ? undefined : message);
    this.#hasDelta ||= delta !== undefined;
    return record(added);
  }
}

/** `refusedEnd` is the end of a choice that refuses, whatever ends behind it. */
export const refusedEnd = "content_filter";

/**
 * `readChoiceEnd` gives the reason with which a choice ends, where it does. OpenAI's models refuse
 * in a member of the message, and end as with any other answer.
 */
export const readChoiceEnd = (choice: JsonRecord, { refusal }: JsonRecord): string | undefined =>
  text(refusal) === "" ? findEndReason(choice) : refusedEnd;

/** Calls of tools, and the one call of the time before tools (`function_call`), which has no id. */
export const listToolCalls = ({ tool_calls, function_call }: JsonRecord): JsonRecord[] => [
  ...records(tool_calls),
  ...(isRecord(function_call) ? [{ id: "call_1", type: "function", function: function_call }] : []),
];

/**
 * `CallNumbers` gives the number of the call that a piece of a stream belongs to. Some servers
 * write none: then the id tells, and a piece without either continues the last call.
 */
export class CallNumbers {
  readonly #byId = new Map<string, number>();
  #last = 0;

  read({ index, id }: JsonRecord): number {
    const stated = readNumber(index, -1);
    const known = text(id) === "" ? this.#last : this.#byId.get(text(id));
    const number = stated >= 0 ? stated : (known ?? this.#byId.size);
    if (text(id) !== "") this.#byId.set(text(id), number);
    this.#last = number;
    return number;
  }
}

/**
 * `ownCallId` is for a call without an id: clients answer it by one, and no two of a conversation
 * may be the same.
 */
export const ownCallId = (replyId: unknown, at: number): string =>
  `call_${text(replyId).replaceAll(/[^\w-]/g, "_")}_${at + 1}`;

/** The answer's text, as a string or in a list of parts; of a spoken answer the words. */
export const readAnswerText = ({ content, audio }: JsonRecord): string =>
  text(content) ||
  records(content)
    .map((part) => text(part.text))
    .join("") ||
  text(record(audio).transcript);

/**
 * The tool that a call names, and what the model wrote for it. The input of a custom tool is text;
 * formats that know functions alone receive it as the one argument `input`.
 */
export function readCalledTool(call: JsonRecord): {
  name: string;
  written: string;
  isCustom: boolean;
} {
  const isCustom = isRecord(call.custom);
  const { name, arguments: args, input } = record(isCustom ? call.custom : call.function);
  return {
    name: text(name),
    written: isCustom ? text(input) : formatArgumentsText(args),
    isCustom,
  };
}

/** A text of JSON; some compatible servers send the object itself. */
export const formatArgumentsText = (args: unknown): string =>
  isRecord(args) ? JSON.stringify(args) : text(args);

/** Arguments that a server wrote twice, as a text of JSON that holds the text of an object. */
export function findUnquoted(written: string): string | undefined {
  if (!/^\s*"/.test(written)) return undefined;
  try {
    const unquoted: unknown = JSON.parse(written);
    return typeof unquoted === "string" && isRecord(JSON.parse(unquoted)) ? unquoted : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A whole call, whose arguments libraries parse: some models write none, or `null`, for a tool
 * without any.
 */
export function buildWholeCall(call: JsonRecord): JsonRecord {
  if (!isRecord(call.function)) return call;
  const written = formatArgumentsText(call.function.arguments);
  const isNone = written.trim() === "" || written.trim() === "null";
  const whole = isNone ? noArguments : (findUnquoted(written) ?? written);
  return { ...call, function: { ...call.function, arguments: whole } };
}

export const noArguments = "{}";

export const readCustomArguments = (input: string): string => JSON.stringify({ input });

/**
 * The arguments of a whole call, as an object; undefined where the model was cut off while it wrote
 * them.
 */
export function findWholeArguments({
  written,
  isCustom,
}: {
  written: string;
  isCustom: boolean;
}): JsonRecord | undefined {
  if (isCustom) return { input: written };
  if (written.trim() === "") return {};
  try {
    // Arguments that a model generated may be anything; some servers write them twice.
    const parsed: unknown = JSON.parse(written);
    return typeof parsed === "string" ? parseObject(parsed) : record(parsed);
  } catch {
    return undefined;
  }
}

/** Includes models that take an effort, but their limit under its old name. */
export function acceptsReasoningEffort(model: string): boolean {
  const plain = stripVendorName(model);
  return (
    isReasoningModel(plain) ||
    /^gemini-(2\.5|[3-9])/.test(plain) ||
    canThink.test(plain) ||
    isToldToThink(plain)
  );
}

export const writeSse = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;
/** An event named after the type of its data, as in every format but chat completions. */
export const writeNamedSse = (data: JsonRecord): string =>
  `event: ${text(data.type)}\n${writeSse(data)}`;

export function findChatUsage(read: ReportedUsage | undefined): JsonRecord | undefined {
  if (!read) return undefined;
  const { usage, hiddenOutput } = read;
  const prompt_tokens = promptTokens(usage);
  const completion_tokens = computeCompletionTokens(usage);
  const reasoning_tokens = computeReasoningTokens(usage, hiddenOutput);
  return present({
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    prompt_tokens_details: present({
      cached_tokens: computeCachedTokens(usage),
      cache_write_tokens: computeWrittenTokens(usage) || undefined,
      audio_tokens: usage.input_audio,
    }),
    completion_tokens_details:
      reasoning_tokens > 0 || usage.output_audio !== undefined
        ? present({ reasoning_tokens, audio_tokens: usage.output_audio })
        : undefined,
  });
}

/** The part of the hidden output that is neither audio nor image. */
export const computeReasoningTokens = (
  { output_audio = 0, output_image = 0 }: Usage,
  hidden: number,
): number => Math.max(0, hidden - output_audio - output_image);
