/**
 * The tools that a request declares, one by one, wherever its format puts them, and who runs each
 * of them. Everything that prices, holds for or admits a tool reads this list. Pure.
 */
import { isRecord, type JsonRecord, record, records, text } from "../wire/json-parts.ts";

/**
 * Items in the input of Responses that bring tools: at the beginning, or found by a search that the
 * client ran.
 */
export const isToolItem = ({ type }: JsonRecord): boolean =>
  type === "additional_tools" || type === "tool_search_output";

/** `tools`, and of Responses those in items of the input; a namespace counts as the tools in it. */
export function readDeclaredTools({ tools, input }: JsonRecord): JsonRecord[] {
  const listed = records(tools).flatMap(expandNamespace);
  if (!Array.isArray(input)) return listed;
  const brought = records(input).filter(isToolItem);
  return brought.length === 0
    ? listed
    : [...listed, ...brought.flatMap((item) => readDeclaredTools({ tools: item.tools }))];
}

/** Bodies nest no deeper than the stack bears. */
const expandNamespace = (tool: JsonRecord): JsonRecord[] =>
  tool.type === "namespace" ? records(tool.tools).flatMap(expandNamespace) : [tool];

/** Types of tools that the client runs. Anthropic's carry the date of their version. */
const clientTypes =
  /^(?:function|custom|local_shell|apply_patch|computer(?:_.*)?|bash_\d+|text_editor_\d+|memory_\d+)$/;
/** Members that only tools of the client have; a type says more than these. */
const clientMembers = ["function", "input_schema", "functionDeclarations", "function_declarations"];

/**
 * `isClientTool` says whether the client runs the tool, so that whatever it declares about its
 * arguments is text to the provider.
 */
export const isClientTool = (tool: JsonRecord): boolean =>
  typeof tool.type === "string"
    ? clientTypes.test(tool.type) || (tool.type === "tool_search" && tool.execution === "client")
    : clientMembers.some((member) => tool[member] !== undefined);

/**
 * `NeededTools` are what a request needs of its tools. `functions`: some of those that the client
 * runs, which translations carry. `own_api`: tools that only the API knows which the client speaks.
 * Undefined where an answer without any tool is what the request asks for as well.
 */
export type NeededTools = "functions" | "own_api";

export function findNeededTools(json: unknown): NeededTools | undefined {
  if (!isRecord(json)) return undefined;
  const tools = readDeclaredTools(json);
  const choice = readChoice(json);
  if (tools.length === 0 || choice.isNone) return undefined;
  const run = tools.filter(isClientTool);
  const demanded = tools.find(
    (tool) => !isClientTool(tool) && choice.names.includes(text(tool.type)),
  );
  if (demanded || (choice.isRequired && run.length === 0)) return "own_api";
  if (run.length === 0) return undefined;
  return run.some(isFunction) ? "functions" : "own_api";
}

const functionTypes = new Set(["function", "custom", "tool_search"]);

/**
 * `isFunction` says whether every format with functions can say the tool. Anthropic's own have no
 * schema, and OpenAI's shells no parameters.
 */
const isFunction = (tool: JsonRecord): boolean =>
  functionTypes.has(text(tool.type)) || clientMembers.some((member) => tool[member] !== undefined);

interface ToolChoice {
  isNone: boolean;
  /** `isRequired` says whether the model must call some tool. */
  isRequired: boolean;
  /** Types, or names, of the tools among which it must choose. */
  names: readonly string[];
}

/** The choice of OpenAI's two APIs and of Anthropic's, and Google's mode of calling functions. */
function readChoice({ tool_choice, toolConfig, tool_config }: JsonRecord): ToolChoice {
  const { functionCallingConfig, function_calling_config } = record(toolConfig ?? tool_config);
  const { type, name } = record(tool_choice);
  const { mode } = record(functionCallingConfig ?? function_calling_config);
  const word = text(tool_choice) || text(type) || text(mode).toLowerCase();
  return {
    isNone: word === "none",
    isRequired: word === "required" || word === "any",
    names: [word, text(name)].filter((one) => one !== ""),
  };
}
