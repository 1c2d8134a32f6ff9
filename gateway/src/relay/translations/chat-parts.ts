/** What several translations of chat completions share. */

import { cachedTokens, completionTokens, promptTokens, type Usage, writtenTokens } from "../../money/price.ts";
import { isReasoningModel } from "../formats/output-limit.ts";
import type { ReportedUsage } from "../formats/reported-usage.ts";
import { isRecord, type JsonRecord, present, record, records, text } from "../wire/json-parts.ts";

/** Names of media that clients write and providers refuse. */
const registeredTypes: Readonly<Record<string, string>> = {
  "image/jpg": "image/jpeg",
  "image/pjpeg": "image/jpeg",
  "image/x-png": "image/png",
  "audio/x-wav": "audio/wav",
  "audio/mp3": "audio/mpeg",
  "application/x-pdf": "application/pdf",
};

/** The parts of `data:image/png;base64,…`, with the registered name of the type and without its parameters. */
export function dataUrl(url: string): { mediaType: string; data: string } | undefined {
  const [, named = "", data] = /^data:([\w.+/-]+)(?:;[\w.+-]+=[^;,]{0,100})*;base64,(.*)$/is.exec(url) ?? [];
  if (named === "" || data === undefined) return undefined;
  const mediaType = named.toLowerCase();
  return { mediaType: registeredTypes[mediaType] ?? mediaType, data };
}

/** Content for chat completions: a plain string where it is text alone, which every provider accepts. */
export const chatContent = (parts: readonly JsonRecord[]): unknown =>
  parts.every(({ type }) => type === "text") ? parts.map((part) => text(part.text)).join("\n\n") : parts;

/**
 * The reasoning text, by the member names that providers use: DeepSeek's, OpenRouter's, GitHub Copilot's; Mistral's reasoning models
 * answer in a list of parts. OpenRouter's details repeat the text, where it stands beside them.
 */
export const reasoningTextIn = ({
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
export const firstChoiceIn = ({ choices }: JsonRecord): JsonRecord =>
  records(choices).find(({ index = 0 }) => index === 0) ?? {};

/** Calls of tools, and the one call of the time before tools (`function_call`), which has no id. */
export const toolCallsIn = ({ tool_calls, function_call }: JsonRecord): JsonRecord[] => [
  ...records(tool_calls),
  ...(isRecord(function_call) ? [{ id: "call_1", type: "function", function: function_call }] : []),
];

/** The answer's text, as a string or in a list of parts; of a spoken answer the words. */
export const answerTextIn = ({ content, audio }: JsonRecord): string =>
  text(content) ||
  records(content)
    .map((part) => text(part.text))
    .join("") ||
  text(record(audio).transcript);

/**
 * The tool that a call names, and what the model wrote for it. The input of a custom tool is text; formats that know
 * functions alone receive it as the one argument `input`.
 */
export function calledTool(call: JsonRecord): { name: string; written: string; isCustom: boolean } {
  const isCustom = isRecord(call.custom);
  const { name, arguments: args, input } = record(isCustom ? call.custom : call.function);
  return { name: text(name), written: isCustom ? text(input) : argumentsText(args), isCustom };
}

/** A text of JSON; some compatible servers send the object itself. */
const argumentsText = (args: unknown): string => (isRecord(args) ? JSON.stringify(args) : text(args));

/** A whole call, whose arguments libraries parse: some models write none, or `null`, for a tool without any. */
export function wholeCall(call: JsonRecord): JsonRecord {
  if (!isRecord(call.function)) return call;
  const written = argumentsText(call.function.arguments);
  const isNone = written.trim() === "" || written.trim() === "null";
  return isNone ? { ...call, function: { ...call.function, arguments: noArguments } } : call;
}

interface CallSoFar {
  id: string;
  name: string;
  written: string;
}

/**
 * Whether a piece of a stream without an id begins another call: Google's compatible API gives its calls neither ids nor numbers, each
 * whole. Other servers repeat the name of a call beside each piece of its arguments.
 */
export const isNextCall = (call: Pick<CallSoFar, "name" | "written">, piece: CallSoFar): boolean =>
  piece.id === "" && piece.name !== "" && piece.written !== "" && call.name !== "" && isWholeObject(call.written);

function isWholeObject(written: string): boolean {
  if (!written.startsWith("{") || !written.endsWith("}")) return false;
  try {
    return isRecord(JSON.parse(written));
  } catch {
    return false;
  }
}

export const noArguments = "{}";

export const customArguments = (input: string): string => JSON.stringify({ input });

/** The arguments of a whole call, as an object; undefined where the model was cut off while it wrote them. */
export function wholeArguments({ written, isCustom }: { written: string; isCustom: boolean }): JsonRecord | undefined {
  if (isCustom) return { input: written };
  if (written.trim() === "") return {};
  try {
    // Arguments that a model generated may be anything.
    return record(JSON.parse(written));
  } catch {
    return undefined;
  }
}

/** Includes models that take an effort, but their limit under its old name. */
export const acceptsReasoningEffort = (model: string): boolean =>
  isReasoningModel(model) || /^gemini-(2\.5|[3-9])/.test(model);

export const sse = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;
/** An event named after the type of its data, as in every format but chat completions. */
export const namedSse = (data: JsonRecord): string => `event: ${text(data.type)}\n${sse(data)}`;

export function chatUsageFrom(read: ReportedUsage | undefined): JsonRecord | undefined {
  if (!read) return undefined;
  const { usage, hiddenOutput } = read;
  const prompt_tokens = promptTokens(usage);
  const completion_tokens = completionTokens(usage);
  const reasoning_tokens = reasoningTokensOf(usage, hiddenOutput);
  return present({
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    prompt_tokens_details: present({
      cached_tokens: cachedTokens(usage),
      cache_write_tokens: writtenTokens(usage) || undefined,
      audio_tokens: usage.input_audio,
    }),
    completion_tokens_details:
      reasoning_tokens > 0 || usage.output_audio !== undefined
        ? present({ reasoning_tokens, audio_tokens: usage.output_audio })
        : undefined,
  });
}

/** The part of the hidden output that is neither audio nor image. */
export const reasoningTokensOf = ({ output_audio = 0, output_image = 0 }: Usage, hidden: number): number =>
  Math.max(0, hidden - output_audio - output_image);
