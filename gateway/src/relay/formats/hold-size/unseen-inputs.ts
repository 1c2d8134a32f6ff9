/**
 * Inputs of a request that the gateway cannot see and its provider reads: things behind addresses
 * and ids, and the findings of tools that the provider runs itself. Their tokens are known only
 * from the provider's count, so a hold sets aside a figure for each of them.
 */
import { isRecord, type JsonRecord, record } from "../../wire/json-parts.ts";
import { isClientTool, readDeclaredTools } from "../declared-tools.ts";

/**
 * `address`: a picture or document that the provider fetches. `file`: an uploaded file, by its id.
 * `hosted_tool`: a tool that the provider runs, such as a search. `mcp`: a server whose tools the
 * provider calls. `stored_state`: an earlier conversation, prompt, container or cache, by its id.
 * `unknown_id`: a member that looks like an id and that the gateway does not know.
 */
export const unseenInputKinds = [
  "address",
  "file",
  "hosted_tool",
  "mcp",
  "stored_state",
  "unknown_id",
] as const;
export type UnseenInputKind = (typeof unseenInputKinds)[number];

/** `UnseenInputs` says how many there are of each kind; kinds without any are missing. */
export type UnseenInputs = Readonly<Partial<Record<UnseenInputKind, number>>>;

/** Members of one name mean the same in every API format, in both spellings of Google's. */
const addressMembers = new Set([
  ...["url", "image_url", "video_url", "audio_url", "file_url"],
  ...["fileUri", "file_uri", "gcsUri", "gcs_uri"],
]);
const fileMembers = new Set(["file_id", "fileId"]);
/** Alibaba reads uploaded files by a system message of their ids alone. */
export const fileMessage = /^\s*fileid:/i;
/**
 * `textMembers` are what the client itself wrote for a tool, or about one: an address in it is
 * text, and no provider fetches it.
 */
export const textMembers = new Set([
  "arguments",
  "args",
  "response",
  "parameters",
  "input_schema",
  "json_schema",
  "schema",
]);

/**
 * `isToolInput` gives what the model wrote for a tool, whoever runs it: `tool_use`,
 * `server_tool_use`, `mcp_tool_use`.
 */
export const isToolInput = (member: string, { type }: JsonRecord): boolean =>
  member === "input" && typeof type === "string" && type.endsWith("tool_use");

export const stateMembers = [
  "previous_response_id",
  "conversation",
  "container",
  "cachedContent",
  "cached_content",
];
/**
 * Anthropic takes part of the price off the retry of a refused request that brings this token: it
 * adds nothing to read.
 */
export const creditMember = "fallback_credit_token";
const wrappers = ["extra_body", "google"];
/** Members that switch on a search or another tool of the provider without a list of tools. */
export const hostedToolMembers = [
  "web_search_options",
  "search_parameters",
  "plugins",
  "data_sources",
  "dataSources",
  "enable_search",
];
/** Members that name an agent or a policy of the operator's account, and no id. */
export const operatorObjectMembers = [
  "agent",
  "agent_reference",
  "guardrailConfig",
  "guardrail_config",
  "modelArmorConfig",
  "model_armor_config",
];
/** Members that hold messages, items or parts. */
export const partMembers = [
  "messages",
  "input",
  "contents",
  "system",
  "requests",
  "content",
  "image",
  "images",
  "mask",
];
const idName = /(?:_id|_ids|Id|Ids)$/;

/** Ids that only name the caller. */
const callerIds = new Set([
  "user_id",
  "session_id",
  "request_id",
  "trace_id",
  "client_request_id",
  "end_user_id",
]);

/**
 * A field of a form that names a file which does not come with it: `file_id` and `file_url` of
 * Mistral, `url` of Groq.
 */
const referenceField = /(?:^|_)(?:ids?|ur[il]s?)(?:\[[^\]]*\])?$/i;

/**
 * The first such field among those of a form; what it names cannot be checked, and has any length.
 */
export const findReferenceInForm = (names: readonly string[]): string | undefined =>
  names.find((name) => referenceField.test(name) && !callerIds.has(name.toLowerCase()));

const functionLists = new Set(["functionDeclarations", "function_declarations"]);

/** Reads the JSON of a request in any API format; its nesting depth was checked before. */
export function parseUnseenInputs(json: unknown): UnseenInputs {
  if (!isRecord(json)) return {};
  const found: Partial<Record<UnseenInputKind, number>> = {};
  const add = (kind: UnseenInputKind, count = 1): void => {
    if (count > 0) found[kind] = (found[kind] ?? 0) + count;
  };
  addStates(json, add);
  // A stored prompt of the Responses API; the text completions' prompt is text or a list.
  if (isRecord(json.prompt)) add("stored_state");
  if (buildThreadContinued(json) !== undefined) add("stored_state");
  for (const name of hostedToolMembers) if (isPresent(json[name])) add("hosted_tool");
  if (Array.isArray(json.mcp_servers)) add("mcp", json.mcp_servers.length);
  for (const tool of readDeclaredTools(json)) addTool(tool, add);
  for (const name of operatorObjectMembers) if (isPresent(json[name])) add("unknown_id");
  // A voice of the operator's own; those of the provider have names.
  if (isRecord(json.voice) || isRecord(record(json.audio).voice)) add("unknown_id");
  for (const name in json) {
    if (
      idName.test(name) &&
      !stateMembers.includes(name) &&
      !callerIds.has(name) &&
      isPresent(json[name])
    )
      add("unknown_id");
  }
  for (const name of partMembers) addParts(json[name], add);
  return found;
}

/** The earlier answer of a conversation that Anthropic keeps, which the request continues. */
export const buildThreadContinued = ({ thread }: JsonRecord): unknown =>
  record(thread).previous_message_id ?? undefined;

/**
 * An earlier answer with which the provider only compares the prompt, to say why its cache was
 * missed: Anthropic, then OpenAI.
 */
export const compareWith = ({ diagnostics, prompt_cache_options }: JsonRecord): unknown =>
  record(diagnostics).previous_message_id ??
  record(prompt_cache_options).comparison_response_id ??
  undefined;

type AddUnseen = (kind: UnseenInputKind, count?: number) => void;

/** Google's compatible API reads members of its own from `extra_body.google`. */
function addStates(json: JsonRecord, add: AddUnseen): void {
  for (const name of stateMembers) if (isPresent(json[name])) add("stored_state");
  for (const name of wrappers) if (isRecord(json[name])) addStates(json[name], add);
}

/** A switch that is off, or an empty list, asks for nothing. */
const isPresent = (value: unknown): boolean =>
  value !== undefined &&
  value !== null &&
  value !== false &&
  value !== "" &&
  !(Array.isArray(value) && value.length === 0);

function addTool(tool: JsonRecord, add: AddUnseen): void {
  const { type } = tool;
  if (typeof type === "string") {
    if (type.startsWith("mcp")) add("mcp");
    else if (!isClientTool(tool)) add("hosted_tool");
  } else if (!("name" in tool) && !("function" in tool)) {
    // Gemini names its tools by their members.
    add("hosted_tool", Object.keys(tool).filter((name) => !functionLists.has(name)).length);
  }
}

/**
 * Walks messages, items and parts. Only objects are visited: the text of a long conversation is
 * never read.
 */
function addParts(value: unknown, add: AddUnseen): void {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const part of value) addParts(part, add);
    return;
  }
  const part = value as JsonRecord;
  if (part.type === "item_reference") {
    add("stored_state");
    return;
  }
  for (const name in part) {
    const member = part[name];
    if (typeof member === "number" || textMembers.has(name) || isToolInput(name, part)) continue;
    if (typeof member === "string") {
      if (fileMembers.has(name)) add("file");
      else if (addressMembers.has(name) && !member.startsWith("data:")) add("address");
      // Its bytes, by its documentation; translations pass an address in it on.
      else if (name === "file_data" && member.startsWith("http")) add("address");
      else if (name === "content" && part.role === "system" && fileMessage.test(member))
        add("file");
    } else if (name === "audio" && typeof record(member).id === "string") add("stored_state");
    else addParts(member, add);
  }
}
