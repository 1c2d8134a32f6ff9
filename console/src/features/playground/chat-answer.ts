/** Reads an answer of Chat Completions, whole or streamed. Pure: bytes in, parts out. */
import type { ToolCall } from "./playground-request.ts";

export type ChatAnswer = { text: string; toolCalls: readonly ToolCall[]; failure: string };
export const noAnswer: ChatAnswer = { text: "", toolCalls: [], failure: "" };

type WireToolCall = {
  index?: number;
  id?: string;
  function?: { name?: string; arguments?: string };
};
type WirePart = { content?: unknown; tool_calls?: WireToolCall[] };
type WireAnswer = {
  error?: { message?: unknown } | string;
  choices?: { delta?: WirePart; message?: WirePart }[];
};

const readText = (value: unknown): string => (typeof value === "string" ? value : "");

function readFailure({ error }: WireAnswer): string {
  if (error === undefined || error === null) return "";
  return readText(typeof error === "string" ? error : error.message) || "unknown error";
}

/** Adds one part; the parts of a tool call share its index. */
function added(answer: ChatAnswer, part: WirePart | undefined): ChatAnswer {
  const toolCalls = [...answer.toolCalls];
  for (const [position, call] of (Array.isArray(part?.tool_calls)
    ? part.tool_calls
    : []
  ).entries()) {
    const index = typeof call.index === "number" ? call.index : position;
    const before = toolCalls[index] ?? { id: "", name: "", arguments: "" };
    toolCalls[index] = {
      id: before.id || readText(call.id),
      name: before.name + readText(call.function?.name),
      arguments: before.arguments + readText(call.function?.arguments),
    };
  }
  return {
    ...answer,
    text: answer.text + readText(part?.content),
    toolCalls: toolCalls.filter((call) => call !== undefined),
  };
}

function parseReply(text: string): WireAnswer | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as WireAnswer) : undefined;
  } catch {
    return undefined;
  }
}

/** A whole answer, or an error body. */
export function readAnswer(body: string): ChatAnswer {
  const answer = parseReply(body);
  if (answer === undefined)
    return { ...noAnswer, failure: "the reply is not in the expected format" };
  return { ...added(noAnswer, answer.choices?.[0]?.message), failure: readFailure(answer) };
}

/** Takes the text of a stream in pieces of any size; each event changes the answer. */
export function createStreamReader() {
  let rest = "";
  let answer = noAnswer;
  return (piece: string): ChatAnswer => {
    const lines = (rest + piece).split(/\r?\n/);
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (!line.startsWith("data:")) continue;
      const event = parseReply(line.slice("data:".length));
      if (event === undefined) continue;
      answer = {
        ...added(answer, event.choices?.[0]?.delta),
        failure: answer.failure || readFailure(event),
      };
    }
    return answer;
  };
}
