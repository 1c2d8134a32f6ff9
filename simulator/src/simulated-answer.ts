// The content of an answer, independent of the wire format. The same request always gets the same
// words and usage, by rules that a test author can compute mentally; README.md states them.
import type { ScriptedBehaviour } from "./scripted-behaviour.ts";

export type SimulatedMessage = { role: string; text: string; images: number };
export type SimulatedTool = { name: string; parameters: Record<string, unknown> };

export type SimulatedRequest = {
  model: string;
  messages: readonly SimulatedMessage[];
  tools: readonly SimulatedTool[];
  choices: number;
  maxTokens: number | undefined;
  stream: boolean;
  /** `wantsUsage` says whether a stream reports its usage. */
  wantsUsage: boolean;
};

export type SimulatedUsage = {
  prompt: number;
  cached: number;
  completion: number;
  reasoning: number;
};

/** A lazy list, so that long answers need no memory. */
export type TokenSequence = { readonly length: number; at(index: number): string };

export type SimulatedToolCall = { name: string; fragments: readonly string[] };

export type SimulatedAnswer = {
  tokens: TokenSequence;
  toolCall: SimulatedToolCall | undefined;
  finish: "stop" | "length" | "tool_calls";
  choices: number;
  usage: SimulatedUsage;
};

export const defaultTokens = 12;
export const tokensPerMessage = 3;
export const tokensPerImage = 85;
export const tokensPerToolCall = 10;
const charactersPerFragment = 6;

export function generateAnswer(
  request: SimulatedRequest,
  behaviour: ScriptedBehaviour,
): SimulatedAnswer {
  const prompt = promptTokens(request.messages);
  const cached = Math.min(behaviour.cachedTokens ?? 0, prompt);
  const { choices } = request;
  const toolCall = toolCallFor(request);
  if (toolCall) {
    const usage = { prompt, cached, completion: tokensPerToolCall * choices, reasoning: 0 };
    return { tokens: noTokens, toolCall, finish: "tool_calls", choices, usage };
  }

  const full =
    behaviour.text === undefined ? generatedTokens(request, behaviour) : tokensOf(behaviour.text);
  const reasoningWanted = behaviour.reasoningTokens ?? 0;
  // As at real providers, reasoning uses the same limit, before the first word.
  const stated = behaviour.noLimit ? undefined : request.maxTokens;
  const allowance = stated ?? Number.POSITIVE_INFINITY;
  const reasoning = Math.min(reasoningWanted, allowance);
  const tokens = truncated(full, allowance - reasoning);
  const isWhole = reasoning === reasoningWanted && tokens.length === full.length;
  return {
    tokens,
    toolCall: undefined,
    finish: isWhole ? "stop" : "length",
    choices,
    usage: {
      prompt,
      cached,
      completion: (reasoning + tokens.length) * choices,
      reasoning: reasoning * choices,
    },
  };
}

/** 3 per message, 1 per word, 85 per image. */
export function promptTokens(messages: readonly SimulatedMessage[]): number {
  let sum = 0;
  for (const { text, images } of messages)
    sum += tokensPerMessage + countWords(text) + tokensPerImage * images;
  return sum;
}

export function wholeText(tokens: TokenSequence): string {
  const parts: string[] = [];
  for (let index = 0; index < tokens.length; index++) parts.push(tokens.at(index));
  return parts.join("");
}

function countWords(text: string): number {
  return text.split(/\s+/).filter(Boolean).length;
}

const noTokens: TokenSequence = { length: 0, at: () => "" };

function truncated(tokens: TokenSequence, limit: number): TokenSequence {
  return { length: Math.min(tokens.length, limit), at: (index) => tokens.at(index) };
}

/**
 * `tokensOf` gives one token per word; the space belongs to the following word, as in tokenizers.
 */
function tokensOf(text: string): TokenSequence {
  const segments = text.match(/\s*\S+|\s+$/g) ?? [];
  return { length: segments.length, at: (index) => segments[index] ?? "" };
}

// Some words are not ASCII, which exposes a reader that splits characters. Each is one token of
// OpenAI's o200k_base, with and without a leading space, so that tests can count the tokens that a
// client received.
const words =
  "amber über delta ember orbit river echo atlas bridge castle forest garden letter orange planet quiet spring stone summer été winter window coffee silver 月 music yellow 😂 station paper où 日".split(
    " ",
  );
const followingWords = words.map((word) => ` ${word}`);

function generatedTokens(request: SimulatedRequest, behaviour: ScriptedBehaviour): TokenSequence {
  const seed = fnv1a(request.messages.map(({ role, text }) => `${role}\n${text}`).join("\n\n"));
  const at = (index: number) =>
    (index === 0 ? words : followingWords)[scramble(seed + index) % words.length] ?? "";
  return { length: behaviour.tokens ?? defaultTokens, at };
}

/** The first tool is called when the last message is the user's and contains `use tool`. */
function toolCallFor({ messages, tools }: SimulatedRequest): SimulatedToolCall | undefined {
  const last = messages.at(-1);
  const [tool] = tools;
  if (!tool || last?.role !== "user" || !last.text.includes("use tool")) return undefined;
  const text = JSON.stringify(argumentsFor(tool));
  const fragments: string[] = [];
  for (let start = 0; start < text.length; start += charactersPerFragment) {
    fragments.push(text.slice(start, start + charactersPerFragment));
  }
  return { name: tool.name, fragments };
}

const valueOfType: Record<string, unknown> = {
  string: "amber",
  number: 7,
  integer: 7,
  boolean: true,
  array: [],
  object: {},
};

/** A value for each property of the tool's schema, by type: "amber", 7, true, [] or {}. */
function argumentsFor({ parameters }: SimulatedTool): Record<string, unknown> {
  const properties = Object.entries(parameters.properties ?? {});
  return Object.fromEntries(
    properties.map(([name, schema]) => [name, valueOfType[String(schema?.type)] ?? null]),
  );
}

/** FNV-1a: small and stable. Nothing depends on its strength. */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

/** Maps neighbouring numbers to distant ones. */
export function scramble(number: number): number {
  let mixed = Math.imul(number ^ (number >>> 16), 0x45d9f3b);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
