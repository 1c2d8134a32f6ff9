/** Items in the input of Responses that the provider reads from what it keeps. Pure. */
import { isRecord, type JsonRecord, text } from "../wire/json-parts.ts";

/**
 * A reference to an output item of an earlier response; it may leave out its type. A picture
 * without its data is one, too.
 */
export const isItemReference = (item: unknown): boolean =>
  isRecord(item) &&
  (item.type === "item_reference" ||
    (item.type == null && item.role === undefined) ||
    (item.type === "image_generation_call" && !text(item.result)));

/**
 * `contentMembers` are where an item carries what it says; without it, the provider looks the item
 * up by its id.
 */
const contentMembers: Readonly<Record<string, string>> = {
  message: "content",
  reasoning: "encrypted_content",
  compaction: "encrypted_content",
  image_generation_call: "result",
  file_search_call: "results",
  code_interpreter_call: "outputs",
  mcp_call: "output",
  mcp_list_tools: "tools",
};
/** Calls that the client itself runs, and its answers: they are whole as the client writes them. */
const clientItem =
  /^(?:function_call|custom_tool_call|local_shell_call|shell_call|apply_patch_call|computer_call|mcp_approval_(?:request|response)|.*_output)$/;

/**
 * `isReadById` says whether a whole item is read by its id all the same: reasoning that is not
 * encrypted in it, and what a tool of the provider found. Translations leave such items out. A type
 * that is not known here counts as one.
 */
export function isReadById(item: unknown): boolean {
  if (!isRecord(item) || text(item.id) === "" || isItemReference(item)) return false;
  const type = text(item.type) || "message";
  const member = contentMembers[type];
  if (member === undefined) return !clientItem.test(type);
  const content = item[member];
  // A message may have no parts.
  if (type === "message") return content == null;
  return content == null || content === "" || (Array.isArray(content) && content.length === 0);
}

/**
 * Servers of open models write their reasoning out: it needs no look-up, and its id none of the
 * provider that gave it.
 */
export const isWrittenOut = ({ type, content }: JsonRecord): boolean =>
  type === "reasoning" && Array.isArray(content) && content.length > 0;
