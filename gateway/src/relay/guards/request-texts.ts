/**
 * The texts of a request, in any API format: every string that a model may read, wherever it
 * stands. What is not known to be a name or a number of the protocol counts as text, so that a new
 * member of a format is inspected without a change here. Pure.
 */

import { isNestedDeeperThan } from "../../http/json-outline.ts";
import { protocolMembers } from "../counting/prompt-text.ts";
import { isExactNumber } from "../wire/exact-json.ts";
import { isRecord, type JsonRecord, record, text } from "../wire/json-parts.ts";

export interface RequestTexts {
  /** Strings of the request, in the order of its members; what replaces them has the same order. */
  texts: readonly string[];
  /**
   * Read by models too, and not replaceable: names of arguments, texts in base64, strings within
   * JSON within a string.
   */
  others: readonly string[];
  /** Prompts that are lists of token ids: what they say is not known. */
  hasTokenIds: boolean;
}

/** Besides, an id that guards need not read. */
const unreadMembers = new Set([...protocolMembers, "previous_response_id"]);
/** Members whose content is the client's own data: no name in it belongs to a protocol. */
const dataMembers = new Set(["input", "args", "arguments", "response"]);
/** JSON schemas: the names of parameters are the client's. */
const schemaMembers = new Set(["properties", "$defs", "definitions"]);
/** Shorter base64 is more likely a word. */
const attachmentMin = 256;
const base64Text = /^[A-Za-z0-9+/_=\-\s]*$/;
const dataUrl = /^data:([^,;]{0,100})[^,]{0,200};base64,/;
const readableType = /^(?:text\/|application\/(?:json|xml|yaml|x-ndjson))/;

/** A place for a string: what the visitor returns replaces it. */
type VisitText = (value: string) => string;

/** `json` is a request body of `parseExactJson`, of bounded depth. */
export function buildTexts(json: unknown): RequestTexts {
  const texts: string[] = [];
  const others: string[] = [];
  const { prompt, input } = record(json);
  visit(
    json,
    (value) => {
      texts.push(value);
      addEmbedded(value, others);
      return value;
    },
    others,
  );
  return { texts, others, hasTokenIds: holdsNumber(prompt) || holdsNumber(input) };
}

/**
 * The request with other texts in the places of its own; `texts` has as many as `textsOf` found.
 */
export function addTexts(json: unknown, texts: readonly string[]): unknown {
  let next = 0;
  return visit(
    json,
    (value) => {
      const replaced = texts[next] ?? value;
      next += 1;
      return replaced;
    },
    [],
  );
}

function visit(
  value: unknown,
  onText: VisitText,
  others: string[],
  name = "",
  isData = false,
  type = "",
): unknown {
  if (typeof value === "string") {
    const attached = parseAttachment(value, name, type);
    if (attached === undefined) return onText(value);
    if (attached !== "") others.push(attached);
    return value;
  }
  if (Array.isArray(value))
    return value.map((part: unknown) => visit(part, onText, others, name, isData, type));
  return isRecord(value) && !isExactNumber(value)
    ? visitMembers(value, onText, others, name, isData)
    : value;
}

function visitMembers(
  value: JsonRecord,
  onText: VisitText,
  others: string[],
  name: string,
  isData: boolean,
): JsonRecord {
  const areNamesText = isData || schemaMembers.has(name);
  const type = text(value.media_type ?? value.mimeType ?? value.mime_type);
  const members = Object.entries(value).map(([member, part]): [string, unknown] => {
    if (areNamesText) others.push(member);
    const isProtocol =
      !areNamesText && unreadMembers.has(member) && !isRecord(part) && !Array.isArray(part);
    if (isProtocol) return [member, part];
    const holdsData = isData || (dataMembers.has(member) && isRecord(part));
    return [member, visit(part, onText, others, member, holdsData, type)];
  });
  // A member named __proto__ stays a member.
  return Object.fromEntries(members);
}

/**
 * Undefined for a string that is text itself; of an attachment its text, which is empty for
 * pictures and sound.
 */
function parseAttachment(value: string, name: string, type: string): string | undefined {
  const [prefix, urlType = ""] = dataUrl.exec(value) ?? [];
  const content = prefix === undefined ? value : value.slice(prefix.length);
  const mayBeData =
    prefix !== undefined || (attachmentNames.has(name) && value.length > attachmentMin);
  if (!mayBeData || !base64Text.test(content)) return undefined;
  return readableType.test(prefix === undefined ? type : urlType)
    ? Buffer.from(content, "base64").toString("utf8")
    : "";
}
const attachmentNames = new Set(["data", "bytes", "file_data", "b64_json"]);

/** Arguments of tools are JSON in a string: its escapes could hide a word. */
function addEmbedded(value: string, others: string[]): void {
  if (
    !value.includes("\\") ||
    !/^\s*[[{]/.test(value) ||
    isNestedDeeperThan(value, embeddedDepthMax)
  )
    return;
  try {
    visit(
      JSON.parse(value),
      (inner) => {
        others.push(inner);
        return inner;
      },
      others,
      "",
      true,
    );
  } catch {
    // A model may write anything as arguments: the string itself is inspected.
  }
}
const embeddedDepthMax = 100;

const holdsNumber = (value: unknown): boolean =>
  Array.isArray(value) && value.some((part) => isExactNumber(part) || holdsNumber(part));
