/**
 * The output that a model wrote in a part of a reply, in whatever member it came. It estimates
 * output that no provider has counted, so a member that this gateway does not know weighs by its
 * length instead of nothing.
 */
import { isRecord, text } from "../../wire/json-parts.ts";

export interface WrittenOutput {
  /** Words and code: their tokens can be counted. */
  text: string;
  /** Characters that are no words, such as encrypted reasoning. */
  opaqueLength: number;
  /** Tokens of sound and pictures, in their own buckets. */
  output_audio: number;
  output_image: number;
}

/** Members that name, order, sign or describe something: no model is paid for them. */
const unwrittenMembers = new Set([
  "role",
  "id",
  "item_id",
  "call_id",
  "tool_call_id",
  "tool_use_id",
  "type",
  "object",
  "status",
  "name",
  "namespace",
  "index",
  "format",
  "mimeType",
  "mime_type",
  "media_type",
  "signature",
  "thoughtSignature",
  "thought_signature",
  "obfuscation",
  "language",
  "outcome",
  "caller",
  "annotations",
  "citations",
]);
/**
 * `toolResultMembers` are what a tool of the provider answered: the model reads it and did not
 * write it.
 */
const toolResultMembers = new Set(["output", "outputs", "results", "result", "logs"]);

/**
 * Two seconds of the densest common encoding (24 kHz, 16 bits, as base64) are 50 tokens at Google
 * and 40 at OpenAI.
 */
const charactersPerAudioToken = 2_560;
/**
 * The tokens of a picture of 1024 by 1024 at Google; other providers count between 272 and 4,160.
 */
const tokensPerPicture = 1_290;
/** A run of base64 this long is no word. */
const opaqueLengthMin = 256;
const base64 = /^[A-Za-z0-9+/_=-]+$/;
/** Characters of opaque data per token. */
const opaqueLengthPerToken = 4;

/** The output of several parts. */
export function joinOutput(parts: readonly WrittenOutput[]): WrittenOutput {
  const joined: WrittenOutput = { text: "", opaqueLength: 0, output_audio: 0, output_image: 0 };
  for (const { text, opaqueLength, output_audio, output_image } of parts) {
    joined.text += text;
    joined.opaqueLength += opaqueLength;
    joined.output_audio += output_audio;
    joined.output_image += output_image;
  }
  return joined;
}

export const computeOpaqueTokens = (length: number): number =>
  Math.ceil(length / opaqueLengthPerToken);

/**
 * Reads a part of a reply of any shape; the depth of its nesting is bounded by the JSON parser's
 * own stack.
 */
export function parseWritten(value: unknown): WrittenOutput {
  const written: WrittenOutput = { text: "", opaqueLength: 0, output_audio: 0, output_image: 0 };
  /** `seen` holds some providers send the same reasoning in two members. */
  const seen = new Set<string>();

  function addText(text: string): void {
    if (text === "" || seen.has(text)) return;
    seen.add(text);
    if (text.startsWith("data:image/")) written.output_image += tokensPerPicture;
    else if (text.startsWith("data:audio/")) written.output_audio += computeAudioTokens(text);
    else if (text.length >= opaqueLengthMin && base64.test(text))
      written.opaqueLength += text.length;
    else written.text += text;
  }

  function addMedia(data: string, kind: string): void {
    if (kind.startsWith("image/")) written.output_image += tokensPerPicture;
    else if (kind.startsWith("audio/")) written.output_audio += computeAudioTokens(data);
    else addText(data);
  }

  function add(part: unknown, member: string): void {
    if (typeof part === "string") addText(part);
    else if (Array.isArray(part)) for (const one of part) add(one, member);
    else if (isRecord(part)) addMembers(part, member);
  }

  function addMembers(part: Readonly<Record<string, unknown>>, member: string): void {
    for (const [name, inner] of Object.entries(part)) {
      if (unwrittenMembers.has(name) || toolResultMembers.has(name)) continue;
      if (name === "data" && typeof inner === "string") {
        const kind =
          text(part.mimeType) || text(part.mime_type) || (member === "audio" ? "audio/" : "");
        addMedia(inner, kind);
      } else add(inner, name);
    }
  }

  add(value, "");
  return written;
}

const computeAudioTokens = (data: string): number =>
  Math.ceil(data.length / charactersPerAudioToken);
