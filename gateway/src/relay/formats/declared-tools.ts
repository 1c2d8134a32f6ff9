/**
 * The tools that a request declares, one by one, wherever its format puts them, and who runs each of them. Everything that prices,
 * holds for or admits a tool reads this list. Pure.
 */
import { type JsonRecord, records } from "../wire/json-parts.ts";

/** Deeper namespaces than any client sends are not looked into. */
const namespaceDepthMax = 4;

/** Items in the input of Responses that bring tools: at the beginning, or found by a search that the client ran. */
export const isToolItem = ({ type }: JsonRecord): boolean =>
  type === "additional_tools" || type === "tool_search_output";

/** `tools`, and of Responses those in items of the input; a namespace counts as the tools in it. */
export function readDeclaredTools({ tools, input }: JsonRecord): JsonRecord[] {
  const listed = records(tools).flatMap((tool) => expandNamespace(tool));
  if (!Array.isArray(input)) return listed;
  const brought = records(input).filter(isToolItem);
  return brought.length === 0
    ? listed
    : [...listed, ...brought.flatMap((item) => readDeclaredTools({ tools: item.tools }))];
}

function expandNamespace(tool: JsonRecord, depth = 0): JsonRecord[] {
  if (tool.type !== "namespace" || depth >= namespaceDepthMax) return [tool];
  return records(tool.tools).flatMap((inner) => expandNamespace(inner, depth + 1));
}

/** Types of tools that the client runs. Anthropic's carry the date of their version. */
const clientTypes =
  /^(?:function|custom|local_shell|apply_patch|computer(?:_.*)?|bash_\d+|text_editor_\d+|memory_\d+)$/;
/** Members that only tools of the client have; a type says more than these. */
const clientMembers = ["function", "input_schema", "functionDeclarations", "function_declarations"];

/** Whether the client runs the tool, so that whatever it declares about its arguments is text to the provider. */
export const isClientTool = (tool: JsonRecord): boolean =>
  typeof tool.type === "string"
    ? clientTypes.test(tool.type) || (tool.type === "tool_search" && tool.execution === "client")
    : clientMembers.some((member) => tool[member] !== undefined);
