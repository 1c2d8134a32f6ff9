/**
 * The tools of a Responses client as functions of chat completions, and their calls on the way
 * back. A namespace becomes its functions under joined names, and a custom tool a function with one
 * text. Coding agents bring all their tools in these forms. Pure.
 */
import { createHash } from "node:crypto";
import { isClientTool, isToolItem } from "../formats/declared-tools.ts";
import { type JsonRecord, present, record, records, text } from "../wire/json-parts.ts";
import { noArguments, readCustomArguments } from "./chat-parts.ts";
import { translateFunctionForCustom } from "./custom-as-functions.ts";
import type { FieldReader } from "./request-reader.ts";

/** `ClientToolKind` says which item of the output a call becomes. */
type ClientToolKind = "function" | "custom" | "tool_search";

interface ClientToolName {
  kind: ClientToolKind;
  name: string;
  namespace: string | undefined;
}

/** OpenAI, Anthropic, Google and Amazon accept these names of functions. */
const acceptedName = /^[\w-]{1,64}$/;
const hashLength = 8;
const acceptedLength = 64;

/** A search for tools has no name of its own. */
const toolSearchName = "tool_search";

const findKind = (tool: JsonRecord): ClientToolKind | undefined => {
  const { type } = tool;
  if (type === "function" || type === "custom") return type;
  return type === toolSearchName && isClientTool(tool) ? type : undefined;
};

const composeKey = (namespace: string | undefined, name: string): string =>
  JSON.stringify([namespace ?? null, name]);

const joinName = (namespace: string | undefined, name: string): string =>
  namespace === undefined ? name : `${namespace}${namespace.endsWith("__") ? "" : "__"}${name}`;

/**
 * A name that every provider accepts: the same in every turn, and with a hash of the whole where
 * something is missing.
 */
function fitName(joined: string, key: string, isTaken: boolean): string {
  if (acceptedName.test(joined) && !isTaken) return joined;
  const hash = createHash("sha256").update(key).digest("hex").slice(0, hashLength);
  return `${joined.replace(/[^\w-]/g, "_").slice(0, acceptedLength - hashLength - 1)}_${hash}`;
}

/** The names under which one request's tools are sent. */
export class SentToolNames {
  readonly #tools = new Map<string, ClientToolName>();
  readonly #names = new Map<string, string>();

  constructor(request: JsonRecord) {
    this.#addAll(request.tools, undefined);
    for (const item of records(request.input))
      if (isToolItem(item)) this.#addAll(item.tools, undefined);
  }

  /** The name that the provider gets, also of a tool that an earlier turn declared. */
  find(namespace: string | undefined, name: string): string {
    const key = composeKey(namespace, name);
    return this.#names.get(key) ?? fitName(joinName(namespace, name), key, false);
  }

  /** The tool that a provider calls by this name; one that it made up is a function. */
  toolCalled(sentName: string): ClientToolName {
    return this.#tools.get(sentName) ?? { kind: "function", name: sentName, namespace: undefined };
  }

  #addAll(tools: unknown, namespace: string | undefined): void {
    for (const tool of records(tools)) {
      if (tool.type === "namespace") this.#addAll(tool.tools, joinNamespace(namespace, tool));
      else this.#add(tool, namespace);
    }
  }

  #add(tool: JsonRecord, namespace: string | undefined): void {
    const kind = findKind(tool);
    if (kind === undefined) return;
    const name = readToolName(tool);
    const key = composeKey(namespace, name);
    if (this.#names.has(key)) return;
    const joined = joinName(namespace, name);
    const sentName = fitName(joined, key, this.#tools.has(joined));
    this.#names.set(key, sentName);
    this.#tools.set(sentName, { kind, name, namespace });
  }
}

const readToolName = (tool: JsonRecord): string =>
  tool.type === toolSearchName ? toolSearchName : text(tool.name);

const joinNamespace = (outer: string | undefined, { name }: JsonRecord): string =>
  joinName(outer, text(name));

/**
 * Reads the definitions of tools, each once; those that the provider runs itself are left out, for
 * no other provider could run them.
 */
export class ToolDefinitions {
  readonly #names: SentToolNames;
  readonly #byName = new Map<string, JsonRecord>();

  constructor(names: SentToolNames) {
    this.#names = names;
  }

  get functions(): JsonRecord[] {
    return [...this.#byName.values()];
  }

  /** The tools in a list of the request or of one of its items, and their sent names. */
  readList(holder: FieldReader, namespace?: string, preface = ""): string[] {
    let words = preface;
    return holder.objects("tools").flatMap((tool): string[] => {
      if (tool.get("type") === "namespace") {
        const { description } = tool.read("name", "description");
        return this.readList(tool, joinNamespace(namespace, tool.json), text(description));
      }
      const kind = findKind(tool.json);
      if (kind === undefined) {
        tool.drop();
        return [];
      }
      const name = this.#names.find(namespace, readToolName(tool.json));
      if (!this.#byName.has(name)) {
        this.#byName.set(name, {
          type: "function",
          function: { name, ...readDefinition(tool, kind, words) },
        });
        // What a namespace says of itself is told once.
        words = "";
      } else tool.readAll();
      return [name];
    });
  }
}

function readDefinition(tool: FieldReader, kind: ClientToolKind, preface: string): JsonRecord {
  // Without a search of the provider's, tools that would be loaded later are there from the start.
  const { description } = tool.read("name", "description", "defer_loading", "execution");
  const told = [preface, text(description)].filter((words) => words !== "");
  if (kind === "custom")
    return translateFunctionForCustom(
      told,
      tool.object("format").read("type", "syntax", "definition"),
    );
  const { parameters, strict } = tool.read("parameters", "strict");
  return present({ description: told.join("\n\n") || undefined, parameters, strict });
}

/** A call in the conversation as one of a function. */
export function readToolCall(item: FieldReader, names: SentToolNames): JsonRecord {
  const { type, call_id, name, namespace } = item.read("type", "call_id", "name", "namespace");
  const sentName =
    type === "tool_search_call"
      ? names.find(undefined, toolSearchName)
      : names.find(asName(namespace), text(name));
  return {
    id: call_id,
    type: "function",
    function: { name: sentName, arguments: readArguments(item) },
  };
}

const asName = (namespace: unknown): string | undefined => text(namespace) || undefined;

function readArguments(item: FieldReader): string {
  if (item.json.type === "custom_tool_call") return readCustomArguments(text(item.get("input")));
  const written = item.get("arguments");
  if (item.json.type !== "tool_search_call") return text(written) || noArguments;
  item.read("execution");
  return typeof written === "string" ? written : JSON.stringify(record(written));
}

/** A choice of one tool, as a function's; undefined for tools that have no name here. */
export function readNamedChoice(choice: FieldReader, names: SentToolNames): JsonRecord | undefined {
  const { type } = choice.json;
  if (type !== "function" && type !== "custom") return undefined;
  const { name, namespace } = choice.read("type", "name", "namespace");
  return { type: "function", function: { name: names.find(asName(namespace), text(name)) } };
}
