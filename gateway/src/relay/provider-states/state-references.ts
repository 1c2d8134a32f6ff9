/**
 * The ids in a request that name something which a provider keeps: earlier responses, files,
 * containers, caches. Pure.
 */
import type { SentBody, StatedNeeds } from "../formats/call-parts.ts";
import { findContainer } from "../formats/hold-size/container-sessions.ts";
import {
  buildThreadContinued,
  compareWith,
  creditMember,
  isToolInput,
  textMembers,
} from "../formats/hold-size/unseen-inputs.ts";
import { isItemReference, isReadById, isWrittenOut } from "../formats/kept-items.ts";
import { isRecord, type JsonRecord, record, records, text } from "../wire/json-parts.ts";
import {
  addOperatorObjects,
  cloudAddress,
  formatFilesInMessage,
  type OperatorKind,
  operatorMembers,
} from "./operator-objects.ts";

/**
 * `StateKind` is what an id names. `item`: an output item of a response. `credit`: what Anthropic
 * takes off the retry of a refused request. `audio`: what a chat completion said. `prompt`: a
 * template, which no call issues.
 */
export type StateKind =
  | "response"
  | "conversation"
  | "item"
  | "audio"
  | "prompt"
  | "container"
  | "file"
  | "batch"
  | "cache"
  | "vector_store"
  | "video"
  | "gemini_file"
  | "credit"
  | OperatorKind;

export interface StateReference {
  kind: StateKind;
  id: string;
  /** The member of the request that names it. */
  param: string;
  /**
   * A whole item, which a translation leaves out: what it names is read only by a provider of the
   * client's own format.
   */
  isWholeItem?: true;
  /** `isWrittenOut` is any provider can take it in, also one that did not write it. */
  isWrittenOut?: true;
  /**
   * The answer does not depend on it: any provider serves the call, and an id that no call of this
   * gateway issued passes.
   */
  isCompared?: true;
}

/** Requests name few: more are a mistake or an attempt to make the gateway look up many. */
export const referencesMax = 1_000;

/**
 * `mayNameState` says whether the request can name any: known from what was read anyway, so that
 * other calls pay nothing.
 */
export const mayNameState = ({
  refersTo,
  namesItems,
  unseen = {},
}: Pick<StatedNeeds, "refersTo" | "namesItems"> & Pick<SentBody, "unseen">): boolean =>
  refersTo !== undefined || namesItems === true || Object.values(unseen).some((count) => count > 0);

/** Members of the request itself; the value is an id or an object with one. */
const topMembers: Readonly<Record<string, StateKind>> = {
  previous_response_id: "response",
  conversation: "conversation",
  container: "container",
  cachedContent: "cache",
  cached_content: "cache",
};
/** Members of parts and tools, at any depth; the value is an id or a list of ids. */
const partMembers: Readonly<Record<string, StateKind>> = {
  ...operatorMembers,
  file_id: "file",
  fileId: "file",
  file_ids: "file",
  container: "container",
  container_id: "container",
  cachedContent: "cache",
  cached_content: "cache",
  vector_store_ids: "vector_store",
  // What Google's accounts keep for searches of their own.
  fileSearchStoreNames: "vector_store",
  file_search_store_names: "vector_store",
  ragCorpora: "vector_store",
  rag_corpora: "vector_store",
  ragCorpus: "vector_store",
  rag_corpus: "vector_store",
};
/** A search in the data of a project at Google. */
const searchedStores = new Set(["vertexAiSearch", "vertex_ai_search"]);
const listStoresSearched = ({
  datastore,
  engine,
  dataStoreSpecs,
  data_store_specs,
}: JsonRecord): unknown[] => [
  datastore,
  engine,
  ...records(dataStoreSpecs ?? data_store_specs).map(
    ({ dataStore, data_store }) => dataStore ?? data_store,
  ),
];
/**
 * Members whose value may be the address of a file at Google, in the words of any format that is
 * translated to Gemini's.
 */
const addressMembers = new Set([
  ...["fileUri", "file_uri", "gcsUri", "gcs_uri", "uri", "url"],
  ...["image_url", "video_url", "audio_url", "file_url", "file_data"],
]);
const filePath = /\b(files\/[^/?#]+)/;

/** The name of a file at Google, however its address is written. */
function findUploadedFile(address: string): string | undefined {
  if (address.startsWith("data:")) return undefined;
  const url = URL.parse(address);
  if (url && url.hostname.replace(/\.$/, "") !== "generativelanguage.googleapis.com")
    return undefined;
  const path = url?.pathname ?? (address.length <= fileNameMax ? address : "");
  return filePath.exec(decoded(path))?.[1];
}

/** Longer texts are no names. */
const fileNameMax = 200;

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The address of a file of Gemini by its name, `files/…`, as Google's answers give it. */
export const composeGeminiFileUri = (name: string): string =>
  `https://generativelanguage.googleapis.com/v1beta/${name}`;

/** The references of a request, each once. */
export function listStateReferences(json: JsonRecord): StateReference[] {
  const found = new Map<string, StateReference>();
  const add = (
    kind: StateKind,
    value: unknown,
    param: string,
    more: Partial<StateReference> = {},
  ): void => {
    const id = typeof value === "string" ? value : isRecord(value) ? value.id : undefined;
    if (typeof id === "string" && id !== "")
      found.set(`${kind} ${id}`, { ...more, kind, id, param });
  };
  const comparedIn = isRecord(json.diagnostics) ? "diagnostics" : "prompt_cache_options";
  add("response", compareWith(json), comparedIn, { isCompared: true });
  for (const [param, kind] of Object.entries(topMembers)) add(kind, json[param], param);
  if (isRecord(json.prompt)) add("prompt", json.prompt, "prompt");
  const { [creditMember]: credit } = json;
  add("credit", isRecord(credit) ? credit.token : credit, creditMember);
  add("response", buildThreadContinued(json), "thread");
  for (const message of records(json.messages))
    for (const id of formatFilesInMessage(message)) add("file", id, "messages");
  for (const item of records(json.input)) {
    if (isItemReference(item)) add("item", item, "input");
    else if (isReadById(item))
      add("item", item, "input", { isWholeItem: true, ...(isWrittenOut(item) && written) });
  }
  for (const [param, value] of Object.entries(json))
    if (!labelMembers.has(param)) walk({ [param]: value }, param, add);
  return [...found.values()];
}

const written = { isWrittenOut: true } as const;
/** `labelMembers` are what its client calls an object, and never its provider. */
const labelMembers = new Set(["metadata", "attributes"]);

/** The references in the body of a request about a stored object, each once. */
export function parseIdsNamed(json: JsonRecord): StateReference[] {
  const found = new Map<string, StateReference>();
  for (const [param, value] of Object.entries(json)) {
    if (labelMembers.has(param)) continue;
    const add = (kind: StateKind, id: unknown): void => {
      if (typeof id === "string" && id !== "") found.set(`${kind} ${id}`, { kind, id, param });
    };
    walk({ [param]: value }, param, add);
    if (param === "items")
      for (const item of records(value))
        if (isItemReference(item) || isReadById(item)) add("item", item.id);
  }
  return [...found.values()];
}

function walk(
  value: unknown,
  param: string,
  add: (kind: StateKind, id: unknown, param: string) => void,
): void {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const part of value) walk(part, param, add);
    return;
  }
  const part = value as JsonRecord;
  for (const [name, member] of Object.entries(part)) {
    // The variables of a stored prompt have names of its author's choice.
    if (name === "variables" && isRecord(member))
      for (const value of Object.values(member)) walk(value, param, add);
    if (name === "variables" || textMembers.has(name) || isToolInput(name, part)) continue;
    if (addOperatorObjects(name, member, part, (kind, id) => add(kind, id, param))) continue;
    const kind = Object.hasOwn(partMembers, name) ? partMembers[name] : undefined;
    if (kind !== undefined && typeof member === "string") add(kind, member, param);
    else if (kind !== undefined && Array.isArray(member))
      for (const id of member) add(kind, id, param);
    else if (addressMembers.has(name) && typeof member === "string") {
      const file = findUploadedFile(member);
      if (cloudAddress.test(member)) add("file", member, param);
      else if (file !== undefined) add("gemini_file", composeGeminiFileUri(file), param);
    } else if (searchedStores.has(name))
      for (const store of listStoresSearched(record(member))) add("vector_store", store, param);
    else if (name === "audio" && typeof record(member).id === "string") add("audio", member, param);
    else walk(member, param, add);
  }
}

/**
 * `listIdsNamedInEvent` gives what an event of a realtime session names. Items of the conversation
 * have ids of the session alone.
 */
export const listIdsNamedInEvent = ({ session, response, item }: JsonRecord): StateReference[] =>
  [session, response, { input: [item] }]
    .flatMap((part) => {
      const { prompt, tools, audio, voice, input } = record(part);
      return listStateReferences({ prompt, tools, audio, voice, input });
    })
    .filter(({ kind }) => kind !== "item");

/**
 * `isKeptByProvider` says whether the provider keeps the response: clients that send the whole
 * conversation each time switch it off.
 */
export const isKeptByProvider = (json: JsonRecord): boolean => json.store !== false;

/** An id that a provider issued in an answer. */
export type IssuedId = Pick<StateReference, "kind" | "id">;

const issued = (kind: StateKind, id: unknown): IssuedId[] =>
  typeof id === "string" && id !== "" ? [{ kind, id }] : [];

/** Ids in a whole reply of the Responses API, or in its `response.…` events. */
export function listIdsOfResponse({ id, conversation, output }: JsonRecord): IssuedId[] {
  const items = Array.isArray(output) ? output.flatMap((item) => listIdsOfItem(record(item))) : [];
  return [...issued("response", id), ...issued("conversation", record(conversation).id), ...items];
}

export const listIdsOfItem = (item: JsonRecord): IssuedId[] => [
  ...issued("item", item.id),
  ...issued("container", findContainer(item)),
];

/**
 * `listIdsOutlivingItem` is about an answer that is not kept itself: containers outlive it, and
 * items that a client names again by their ids alone.
 */
export function listIdsOutlivingItem(item: JsonRecord): IssuedId[] {
  // One that has only begun is not whole yet.
  const isNamedAgain = item.status !== "in_progress" && isReadById(item);
  return [
    ...issued("container", findContainer(item)),
    ...(isNamedAgain ? issued("item", item.id) : []),
  ];
}

export const listIdsOutlivingResponse = ({ output }: JsonRecord): IssuedId[] =>
  records(output).flatMap(listIdsOutlivingItem);

/** Ids in a whole reply of chat completions, or in an event of its streams. */
export const listIdsOfChat = ({ choices }: JsonRecord): IssuedId[] =>
  records(choices).flatMap(({ message, delta }) =>
    issued("audio", record(record(message ?? delta).audio).id),
  );

/**
 * `isNamedLater` says whether Anthropic keeps the conversation, or what it compares later prompts
 * with, for requests that name its last answer.
 */
export const isNamedLater = ({ thread, diagnostics }: JsonRecord): boolean =>
  isRecord(thread) || isRecord(diagnostics);

/**
 * The id by which later requests name the answer: that of the message, in a whole reply or in the
 * event that begins a stream.
 */
export const listIdsOfThread = ({ id, message }: JsonRecord): IssuedId[] =>
  issued("response", record(message).id ?? id);

/** Ids in a whole reply of the Messages API, or in an event of its streams. */
export function listIdsOfMessage(json: JsonRecord): IssuedId[] {
  const found: IssuedId[] = [];
  for (const holder of [json, record(json.message), record(json.delta)])
    found.push(
      ...issued("container", record(holder.container).id),
      ...issued("credit", record(holder.stop_details)[creditMember]),
    );
  for (const content of [json.content_block, json.content, record(json.message).content])
    for (const block of Array.isArray(content) ? content : [content])
      if (!isOfServer(record(block)))
        walk(block, "", (kind, id) => kind === "file" && found.push(...issued(kind, id)));
  return found;
}

/**
 * The client names the server, so that it may say what it likes: nothing in it is an id of the
 * provider.
 */
const isOfServer = ({ type }: JsonRecord): boolean => text(type).startsWith("mcp_");
