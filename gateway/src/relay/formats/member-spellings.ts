/**
 * The members by which a request is priced, held for and admitted. Programs that decode JSON as Go
 * does read names without regard to case, so that a provider would take `Max_tokens` or `MODEL` for
 * what the gateway has read under another name. Pure.
 */
import { isRecord, type JsonRecord } from "../wire/json-parts.ts";
import { readDeclaredTools } from "./declared-tools.ts";
import { costMemberSpellings } from "./hold-size/cost-members.ts";
import { answersMembers, limitMembers, nestedMembers } from "./hold-size/output-limit.ts";
import {
  hostedToolMembers,
  operatorObjectMembers,
  partMembers,
  stateMembers,
} from "./hold-size/unseen-inputs.ts";

const spelled = new Set([
  "model",
  "stream",
  "stream_options",
  "background",
  "store",
  "prompt",
  "tools",
  "mcp_servers",
  "size",
  "quality",
  ...limitMembers,
  ...answersMembers,
  ...nestedMembers,
  ...costMemberSpellings,
  ...stateMembers,
  ...hostedToolMembers,
  ...operatorObjectMembers,
  "voice",
  "thread",
  "audio",
  ...partMembers,
]);
const spelledOfTool = new Set([
  "type",
  "name",
  "function",
  "input_schema",
  "functionDeclarations",
  "function_declarations",
  "model",
  "tools",
  "execution",
]);

/**
 * `isFolded` finds names without capitals, and nothing but ASCII: folding would change nothing, and
 * a body may have a hundred thousand names.
 */
const isFolded = /^[\x20-\x40\x5b-\x7e]*$/;
/** Go also takes the long s and the sign of the kelvin for the letters that they look like. */
const foldName = (name: string): string =>
  isFolded.test(name) ? name : name.toUpperCase().toLowerCase();
const collectFolded = (names: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...names].map(foldName));
const foldedNames = collectFolded(spelled);
const foldedToolNames = collectFolded(spelledOfTool);

const parseOther = (
  json: JsonRecord,
  names: ReadonlySet<string>,
  all: ReadonlySet<string>,
): string | undefined =>
  Object.keys(json).find((name) => !names.has(name) && all.has(foldName(name)));

/**
 * A member of a request, or of its tools, that differs in case alone from one that the gateway acts
 * on.
 */
export function parseOtherSpelling(json: unknown): string | undefined {
  if (!isRecord(json)) return undefined;
  for (const tool of readDeclaredTools(json)) {
    const name = parseOther(tool, spelledOfTool, foldedToolNames);
    if (name !== undefined) return name;
  }
  return parseOther(json, spelled, foldedNames);
}
