/** The items of a response while a translation writes them, and how each kind stands on the wire. */
import { type JsonRecord, parseObject } from "../wire/json-parts.ts";
import { encodeReasoning } from "./encrypted-reasoning.ts";
import type { ResponseStatus } from "./response-object.ts";

export type ToolCallKind = "function_call" | "custom_tool_call" | "tool_search_call";

export type ResponseItemKind = "reasoning" | "output_text" | "refusal" | ToolCallKind;

export const isToolCall = (kind: ResponseItemKind): kind is ToolCallKind => kind.endsWith("_call");

/** An item of the output that is not complete. */
export interface OpenResponseItem {
  kind: ResponseItemKind;
  index: number;
  id: string;
  text: string;
  /** Characters of the answer before the item: citations count from its own beginning. */
  before: number;
  annotations: JsonRecord[];
  logprobs: JsonRecord[];
  reasoningBlocks: JsonRecord[];
  callId: string;
  name: string;
  namespace: string | undefined;
  /**
   * The client has another kind of tool: what its function's arguments hold is known once they are
   * whole.
   */
  isWrapped: boolean;
  /** The beginning of an event with the item's next text. */
  deltaPrefix: string;
}

export const itemIdPrefixes: Readonly<Record<ResponseItemKind, string>> = {
  reasoning: "rs",
  output_text: "msg",
  refusal: "msg",
  function_call: "fc",
  custom_tool_call: "ctc",
  tool_search_call: "tsc",
};

/** An item has no parts when it is added. */
export const emptyMembers: Readonly<Record<ResponseItemKind, JsonRecord>> = {
  reasoning: { summary: [] },
  output_text: { content: [] },
  refusal: { content: [] },
  function_call: {},
  custom_tool_call: {},
  tool_search_call: {},
};

export function translateDoneMembers({
  kind,
  text: itemText,
  name,
  logprobs,
}: OpenResponseItem): JsonRecord {
  if (kind === "function_call") return { name, arguments: itemText };
  if (kind === "custom_tool_call") return { input: itemText };
  if (kind === "refusal") return { refusal: itemText };
  return kind === "reasoning" ? { text: itemText } : { text: itemText, logprobs };
}

/** `ItemMoment` is what an event tells of an item. */
export type ItemMoment = "delta" | "done" | "part.added" | "part.done";

/** The name of an event of one item, and where the item stands. */
export function locateItemEvent(
  { kind, id, index }: OpenResponseItem,
  moment: ItemMoment,
): { type: string; location: JsonRecord } {
  const location = { item_id: id, output_index: index };
  if (kind === "function_call")
    return { type: `response.function_call_arguments.${moment}`, location };
  if (kind === "custom_tool_call")
    return { type: `response.custom_tool_call_input.${moment}`, location };
  const isReasoning = kind === "reasoning";
  const part = isReasoning ? "reasoning_summary" : "content";
  const name = isReasoning ? "reasoning_summary_text" : kind;
  return {
    type: moment.startsWith("part") ? `response.${part}_${moment}` : `response.${name}.${moment}`,
    location: { ...location, [isReasoning ? "summary_index" : "content_index"]: 0 },
  };
}

export function buildItemPart({
  kind,
  text: itemText,
  annotations,
  logprobs,
}: OpenResponseItem): JsonRecord {
  if (kind === "reasoning") return { type: "summary_text", text: itemText };
  if (kind === "refusal") return { type: kind, refusal: itemText };
  return { type: kind, text: itemText, annotations, logprobs };
}

export function buildWireItem(
  item: OpenResponseItem,
  status: ResponseStatus,
  encryptsReasoning: boolean,
): JsonRecord {
  const { kind, id, text: itemText, reasoningBlocks, callId: call_id, name, namespace } = item;
  if (isToolCall(kind)) {
    const call = {
      type: kind,
      id,
      status,
      call_id,
      ...(namespace !== undefined && { namespace }),
    };
    if (kind === "tool_search_call")
      return { ...call, execution: "client", arguments: parseObject(itemText) };
    return kind === "function_call"
      ? { ...call, name, arguments: itemText }
      : { ...call, name, input: itemText };
  }
  if (kind !== "reasoning")
    return { type: "message", id, status, role: "assistant", content: [buildItemPart(item)] };
  const encrypted =
    encryptsReasoning && reasoningBlocks.length > 0
      ? { encrypted_content: encodeReasoning(reasoningBlocks) }
      : {};
  return { type: kind, id, summary: itemText === "" ? [] : [buildItemPart(item)], ...encrypted };
}
