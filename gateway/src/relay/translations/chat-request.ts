/** The parts of a chat completions request that its translations read alike. */

import { type MessageAccess, pairResults } from "../value-rules/conversation-fits.ts";
import { record, text } from "../wire/json-parts.ts";
import { type FieldReader, RequestReader } from "./request-reader.ts";

/**
 * Fields that no provider's body needs: the call knows the model and whether it streams, the
 * translation of the reply sends the usage event, and nothing is stored or reported of log
 * probabilities unless the client asks for it.
 */
export function readCallFields(request: FieldReader): void {
  request.read("model", "stream");
  request.object("stream_options").read("include_usage");
  request.allow("store", false);
  request.allow("logprobs", false);
}

export const readTokenLimit = (request: FieldReader): unknown => {
  const { max_completion_tokens, max_tokens } = request.read("max_completion_tokens", "max_tokens");
  return max_completion_tokens ?? max_tokens;
};

/** System messages, which stand anywhere in the conversation, and all others. */
export function readMessages(request: FieldReader): {
  system: FieldReader[];
  messages: FieldReader[];
} {
  const system: FieldReader[] = [];
  const messages: FieldReader[] = [];
  for (const message of request.objects("messages")) {
    const role = message.get("role");
    (role === "system" || role === "developer" ? system : messages).push(message);
  }
  // Chat completions takes a conversation of the system alone; other APIs demand a message of the
  // user.
  return messages.length === 0
    ? { system: [], messages: system }
    : { system, messages: pairedMessages(messages) };
}

/** Each call followed by its result, as every API but this one demands in some way. */
export const pairedMessages = (messages: readonly FieldReader[]): FieldReader[] =>
  pairResults(messages, readers);

const readers: MessageAccess<FieldReader> = {
  json: ({ json }) => json,
  make: (json, instead) => {
    instead?.readAll();
    return new RequestReader(json);
  },
};

/** The content of a message: text, or the parts of a list. */
export function readContent(message: FieldReader, field = "content"): string | FieldReader[] {
  const content = message.json[field];
  return typeof content === "string" ? text(message.get(field)) : message.objects(field);
}

/** Stop sequences as a list. */
export function readStop(request: FieldReader): unknown {
  const stop = request.get("stop");
  return typeof stop === "string" ? [stop] : stop;
}

/** The definitions of function tools; other tools are left out. */
export function readFunctions(request: FieldReader): FieldReader[] {
  return request.objects("tools").flatMap((tool) => {
    if (tool.get("type") === "function") return [tool.object("function")];
    tool.drop();
    return [];
  });
}

/** A word, or one function by its name; a choice of any other type is left out. */
export function readToolChoice(request: FieldReader): { choice: unknown; name: unknown } {
  request.readTyped("tool_choice", "function");
  const choice = request.json.tool_choice;
  return { choice, name: record(record(choice).function).name };
}

interface FunctionCall {
  id: unknown;
  name: unknown;
  argumentsText: unknown;
  /** The fields beside these. */
  call: FieldReader;
}

/** Calls of functions; calls of other tools are left out. */
export function readFunctionCalls(message: FieldReader): FunctionCall[] {
  return message.objects("tool_calls").map((call) => {
    const { id, type } = call.read("id", "type");
    if (type !== "function") call.drop();
    const { name, arguments: argumentsText } = call.object("function").read("name", "arguments");
    return { id, name, argumentsText, call };
  });
}

/** An image by its address; `auto` is the detail that every provider chooses anyway. */
export function readImageUrl(part: FieldReader): string {
  const image = part.object("image_url");
  image.allow("detail", "auto");
  return text(image.get("url"));
}

interface ResponseFormat {
  type: unknown;
  /** The JSON schema, with its name and description. */
  schema: FieldReader;
}

/** Formats of other types than `types` are left out. */
export function readResponseFormat(request: FieldReader, ...types: string[]): ResponseFormat {
  const format = request.object("response_format");
  const type = format.get("type");
  if (!types.includes(text(type))) format.drop();
  return { type, schema: format.object("json_schema") };
}
