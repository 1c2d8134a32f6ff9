/**
 * The tools that an agent ran since its last call: a request ends with their results, and before
 * these with the calls that the model made. What came earlier in the conversation was counted with
 * the calls before. Pure.
 */
import { isRecord, type JsonRecord, record, records, text } from "../wire/json-parts.ts";

/** `ToolRuns` says how often a tool ran, and how often it reported a failure. */
export type ToolRuns = Readonly<Record<string, readonly [runs: number, failures: number]>>;

/** Results at the end of one request. */
const resultsMax = 128;
const nameMax = 64;
/** Control characters and what only looks like a name are replaced: names are shown. */
const unshown = /[^\p{L}\p{N}_.:/-]/gu;

interface ToolResult {
  /** `id` is that of the call that it answers; a name where the format has no ids. */
  id: string;
  name: string;
  isFailed: boolean;
}

export const cleanToolName = (name: string): string =>
  name.toWellFormed().slice(0, nameMax).replaceAll(unshown, "_");

/** Undefined where none ran. */
export function countNewTools(json: unknown): ToolRuns | undefined {
  if (!isRecord(json)) return undefined;
  const { messages, input, contents } = json;
  const results = Array.isArray(messages)
    ? findInMessages(messages)
    : Array.isArray(input)
      ? findInItems(input)
      : Array.isArray(contents)
        ? findInContents(contents)
        : [];
  if (results.length === 0) return undefined;
  const counted = new Map<string, [number, number]>();
  for (const { name, isFailed } of results) {
    const known = counted.get(name) ?? [0, 0];
    counted.set(name, [known[0] + 1, known[1] + Number(isFailed)]);
  }
  return Object.fromEntries(counted);
}

function withNames(
  results: readonly ToolResult[],
  calls: readonly { id: string; name: string }[],
): ToolResult[] {
  const names = new Map(calls.map(({ id, name }) => [id, name]));
  return results.slice(0, resultsMax).flatMap((result) => {
    const name = cleanToolName(result.name || (names.get(result.id) ?? ""));
    return name === "" ? [] : [{ ...result, name }];
  });
}

/** Chat Completions (`role: tool`) and Messages (blocks `tool_result`). */
function findInMessages(messages: readonly unknown[]): ToolResult[] {
  const results: ToolResult[] = [];
  for (let index = messages.length - 1; index >= 0 && results.length < resultsMax; index -= 1) {
    const message = record(messages[index]);
    if (message.role === "tool") {
      results.push({ id: text(message.tool_call_id), name: text(message.name), isFailed: false });
      continue;
    }
    if (message.role === "user") {
      const found = listBlocks(message, "tool_result").map((block) => ({
        id: text(block.tool_use_id),
        name: "",
        isFailed: block.is_error === true,
      }));
      if (found.length === 0) return [];
      results.push(...found);
      continue;
    }
    if (message.role !== "assistant" || results.length === 0) return [];
    const calls = [
      ...records(message.tool_calls).map((call) => ({
        id: text(call.id),
        name: text(record(call.function).name),
      })),
      ...listBlocks(message, "tool_use").map((block) => ({
        id: text(block.id),
        name: text(block.name),
      })),
    ];
    return withNames(results, calls);
  }
  return [];
}

const listBlocks = ({ content }: JsonRecord, type: string): JsonRecord[] =>
  records(content).filter((block) => block.type === type);

/** Responses: items `…_call_output` behind the items of the calls. */
function findInItems(items: readonly unknown[]): ToolResult[] {
  const results: ToolResult[] = [];
  const calls: { id: string; name: string }[] = [];
  for (let index = items.length - 1; index >= 0 && calls.length < resultsMax; index -= 1) {
    const item = record(items[index]);
    const type = text(item.type);
    if (type.endsWith("_call_output")) {
      if (calls.length > 0) break;
      results.push({ id: text(item.call_id), name: "", isFailed: text(item.status) === "failed" });
    } else if (type.endsWith("_call"))
      calls.push({ id: text(item.call_id), name: text(item.name) || type.slice(0, -5) });
    else break;
  }
  return withNames(results, calls);
}

/** Gemini: the results name their tools. */
function findInContents(contents: readonly unknown[]): ToolResult[] {
  const parts = records(record(contents.at(-1)).parts);
  return withNames(
    parts.flatMap(({ functionResponse, function_response }) => {
      const found = functionResponse ?? function_response;
      if (!isRecord(found)) return [];
      return [
        {
          id: "",
          name: text(found.name),
          isFailed: Object.hasOwn(record(found.response), "error"),
        },
      ];
    }),
    [],
  );
}
