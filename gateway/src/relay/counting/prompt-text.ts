/**
 * The text that a model reads of a request, in any API format. For counting only, so the model's
 * own template is approximated.
 */
import { isRecord, type JsonRecord } from "../wire/json-parts.ts";
import { TextSample } from "./text-sample.ts";

/** Body fields of all formats that models read. */
const promptMembers = [
  "system",
  "instructions",
  "systemInstruction",
  "system_instruction",
  "messages",
  "input",
  "prompt",
  "contents",
  "query",
  "documents",
  "content",
  "requests",
];
/** Role and delimiters around a message. */
const tokensPerMessage = 4;
/** An image or a recording. */
export const tokensPerAttachment = 1_200;
/**
 * Members that name, order, sign or choose something in the grammars of the formats, and are no
 * part of the prompt.
 */
export const protocolMembers: ReadonlySet<string> = new Set([
  "type",
  "role",
  "id",
  "call_id",
  "tool_call_id",
  "tool_use_id",
  "model",
  "status",
  "cache_control",
  "signature",
  "thoughtSignature",
  "thought_signature",
  "encrypted_content",
  "media_type",
  "mimeType",
  "mime_type",
  "format",
  "detail",
]);
/** Base64 in one of these fields is an attachment. */
const dataMembers = new Set(["data", "bytes", "file_data", "b64_json"]);
const wordsMax = 256;

export interface PromptText {
  sample: TextSample;
  /** Tokens that do not come from text. */
  fixedTokens: number;
}

/** Gemini's token counting may wrap the whole request. */
export function promptText(request: JsonRecord): PromptText {
  const body = isRecord(request.generateContentRequest) ? request.generateContentRequest : request;
  const sample = new TextSample();
  let fixedTokens = 0;

  function add(value: unknown, name = ""): void {
    if (typeof value === "string") {
      const isAttached =
        value.startsWith("data:") || (dataMembers.has(name) && value.length > wordsMax);
      if (isAttached) fixedTokens += tokensPerAttachment;
      else sample.push(value);
    } else if (typeof value === "number" && name === "") {
      // A prompt may be a list of token ids.
      fixedTokens += 1;
    } else if (Array.isArray(value)) {
      for (const part of value) add(part, name);
    } else if (isRecord(value)) {
      for (const [member, part] of Object.entries(value))
        if (!protocolMembers.has(member)) add(part, member);
    }
  }

  for (const member of promptMembers) {
    const promptValue = body[member];
    if (promptValue === undefined || promptValue === null) continue;
    fixedTokens += tokensPerMessage * (Array.isArray(promptValue) ? promptValue.length : 1);
    add(promptValue);
  }
  // Providers present tools to their models as text, field names included.
  if (Array.isArray(body.tools)) sample.push(JSON.stringify(body.tools));
  return { sample, fixedTokens };
}
