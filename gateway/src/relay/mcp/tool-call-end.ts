/** The end of a call of a tool, and its cost. Pure. */
import { formatPublicSentence, type McpFailure } from "./mcp-failure.ts";
import type { McpReply } from "./mcp-messages.ts";

/** Kinds of results; others belong to extensions. Older servers name none. */
export const resultTypes = { complete: "complete", inputRequired: "input_required" } as const;

export type EndedToolCall = McpReply | { failure: McpFailure };

interface ToolCallEnd {
  outcome: string;
  /** Units. */
  charge: number;
  /** The server's HTTP status, as far as it is known; 0 without an answer. */
  status: number;
  /** `content` is for the caller, in the log. */
  content: string;
  /** `detail` is for administrators, in the trace. */
  detail: string;
}

/**
 * Only a result is charged, and only one that is neither an error of the tool nor a question to the
 * client.
 */
export function buildToolCallEnd(
  ended: EndedToolCall,
  price: number,
  hasClientLeft: boolean,
): ToolCallEnd {
  const free = (status: number, content: string, detail = content): ToolCallEnd => ({
    outcome: hasClientLeft ? "client_left" : "failed",
    charge: 0,
    status,
    content,
    detail,
  });
  if ("failure" in ended)
    return free(ended.failure.status, formatPublicSentence(ended.failure), ended.failure.message);
  if ("error" in ended)
    return free(200, `The MCP server answered with an error: ${ended.error.message}`);
  const { isError, resultType } = ended.result;
  if (isError === true) return free(200, "The tool reported an error");
  const isQuestion = resultType === resultTypes.inputRequired;
  return {
    outcome: hasClientLeft ? "client_left" : "success",
    charge: isQuestion ? 0 : price,
    status: 200,
    content: isQuestion ? "The tool asks for input" : "",
    detail: "",
  };
}
