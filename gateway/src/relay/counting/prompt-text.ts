/** What a model reads of a call, whatever interface it came by: for counting, so only roughly in the model's own words. */
import { isRecord, type JsonRecord } from "../wire/json-parts.ts";
import { TextSample } from "./text-sample.ts";

/** The members of bodies that models read, of all interfaces. */
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
/** What stands around a message: who speaks, and where it ends. */
const tokensPerMessage = 4;
/** A picture or a recording. */
export const tokensPerAttachment = 1_200;
/** What names, orders or proves, and is not said to the model. */
const nonPromptMembers = new Set([
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
/** Base64 in a member of one of these names is an attachment. */
const dataMembers = new Set(["data", "bytes", "file_data", "b64_json"]);
const wordsMax = 256;

export interface PromptText {
  sample: TextSample;
  /** Tokens that are not those of any text. */
  fixedTokens: number;
}

/** `sent` is what the caller sent; Gemini's question of how long a call is may hold all of that call. */
export function promptText(request: JsonRecord): PromptText {
  const body = isRecord(request.generateContentRequest) ? request.generateContentRequest : request;
  const sample = new TextSample();
  let fixedTokens = 0;

  function add(value: unknown, name = ""): void {
    if (typeof value === "string") {
      const isAttached = value.startsWith("data:") || (dataMembers.has(name) && value.length > wordsMax);
      if (isAttached) fixedTokens += tokensPerAttachment;
      else sample.push(value);
    } else if (typeof value === "number" && name === "") {
      // A prompt may come as the numbers of its tokens.
      fixedTokens += 1;
    } else if (Array.isArray(value)) {
      for (const part of value) add(part, name);
    } else if (isRecord(value)) {
      for (const [member, part] of Object.entries(value)) if (!nonPromptMembers.has(member)) add(part, member);
    }
  }

  for (const member of promptMembers) {
    const promptValue = body[member];
    if (promptValue === undefined || promptValue === null) continue;
    fixedTokens += tokensPerMessage * (Array.isArray(promptValue) ? promptValue.length : 1);
    add(promptValue);
  }
  // Providers show tools to their models as text, names of members included.
  if (Array.isArray(body.tools)) sample.push(JSON.stringify(body.tools));
  return { sample, fixedTokens };
}
