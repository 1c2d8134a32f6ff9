/**
 * A shape is the grammar of one API that clients and providers speak: what a call in it asks for, what its answers and
 * events say that the gateway must know, and how it words an error. Pure; the bytes themselves go through.
 */
import type { EndpointName } from "@tollgate/contract/channel-endpoints.ts";
import type { ExtraUsage, Rates } from "../../money/price.ts";
import type { CallConversation } from "../routing/session-affinity.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import type { MultipartForm } from "../wire/multipart.ts";
import type { RelayRefusal } from "../wire/relay-refusal.ts";
import type { ChargedUsage, ReportedUsage } from "./reported-usage.ts";

/**
 * What callers call, by the names of channel settings, and those of Gemini's own interface, which settings do not know:
 * calls, streams that are lists, and embeddings. What providers alone speak has a name, too.
 */
export type ApiEndpoint =
  | EndpointName
  | "gemini"
  | "gemini_list"
  | "gemini_embeddings"
  | "bedrock_converse"
  | "bedrock_embeddings"
  | "vertex_embeddings"
  | "baidu_chat"
  | "baidu_embeddings"
  | "tencent_chat"
  | "tencent_embeddings"
  | "coze_chat"
  | "replicate_prediction"
  | "replicate_pictures"
  | "deepl_translation"
  | "ai_proxy_answer";

/** What the gateway acts on in a body; everything else is the provider's business and goes through untouched. */
export interface ParsedRequest {
  model: string;
  isStream: boolean;
  /** Completion tokens that the caller allows. */
  maxOutputTokens: number | undefined;
  /** Answers per call, `n`. */
  choiceCount: number;
  promptEstimate: number;
  /**
   * What the call will use beside text, to hold for it, and to charge where nobody counts it better. What can be counted
   * in two ways stands in both: the price takes one.
   */
  extras?: ExtraUsage;
  /** Pictures: size and quality, such as `1024x1792/hd`, where their price depends on it. */
  variant?: string;
  /** The member that points at what a provider keeps; no other provider could know it. */
  refersTo?: string | undefined;
  /** Chat completions: the caller asked for the usage event at the end of a stream. */
  wantsUsage: boolean;
  /** Chat completions: as the caller wrote them, beside the request for usage. */
  streamOptions: Readonly<Record<string, unknown>>;
}

/** One call as the caller wrote it. */
export interface RelayCall extends ParsedRequest {
  format: ApiFormat;
  body: Buffer;
  /** The parts of `body` where it is multipart/form-data; otherwise it is JSON. */
  form?: MultipartForm;
  /** Of the caller's headers, those that the shape hands on: names and values in turn. */
  headers: readonly string[];
  /** What it goes on with. */
  conversation?: CallConversation | undefined;
  /** Responses: the gateway keeps the answer, should a translation give it. */
  storeAs?: StoredResponseTarget;
}

/** Where the gateway keeps an answer, and what was said before it. */
export interface StoredResponseTarget {
  id: string;
  userId: number;
  /** As the caller wrote it. */
  previousId: string | null;
  /** Items of `input`. */
  input: readonly JsonRecord[];
}

/** What a whole answer says. */
export interface ReplyFacts {
  usage: ReportedUsage | undefined;
  /** What the model wrote, tool arguments included. */
  text: string;
  /** How many it drew. */
  images?: number;
}

/** What went through of an answer. */
export interface DeliveredOutput {
  /** Characters of text, or bytes of sound. */
  textBytes: number;
  images: number;
}

/** An answer that is no JSON: `bytes` go through as they come, `text` is taken whole. */
export type NonJsonReply = "bytes" | "text";

/** An error that the provider tells beside HTTP; `status` is what HTTP would have said. */
export interface ErrorInBody {
  status: number;
  message: string;
  code?: string | number | null;
}

export interface StreamEventFacts {
  /** `damaged` is data that is no whole JSON object: nobody could read it. */
  kind: "content" | "other" | "error" | "done" | "damaged";
  /** Characters of visible or reasoning text, or of tool arguments, in the event; bytes of sound. */
  textBytes: number;
  /** That text. */
  text?: string;
  /** Pictures that began with the event. */
  images?: number;
  /** What the stream has used so far, by its own word. */
  usage?: ReportedUsage;
  /** A caller who did not ask for this event must not see it. */
  isHidden?: boolean;
  /** The model gave its reason to stop: it has said everything. */
  isLast?: boolean;
  error?: unknown;
}

export type StreamEventReader = (event: string) => StreamEventFacts;

/** How the gateway speaks when it is not the provider that speaks. */
export interface ErrorFormat {
  errorBody(refusal: RelayRefusal, requestId: string): string;
  /** The events that tell a caller inside a stream what went wrong, and end it. */
  streamError(refusal: RelayRefusal, requestId: string): string;
}

export interface ApiFormat {
  endpoint: ApiEndpoint;
  /** Throws `Refused` when the body is not of this shape. */
  parseRequest(json: unknown, isEstimateRough: boolean): ParsedRequest;
  /** The same for multipart/form-data, where it is taken. */
  parseForm?(form: MultipartForm, isEstimateRough: boolean): ParsedRequest;
  /** The caller's headers that mean something to the provider. */
  passedHeaders: readonly string[];
  /** The body for an upstream of the same shape. */
  writeBody(call: RelayCall, model: string, systemPrompt: string | null): Buffer;
  /** Where a call goes, should its model or what it asks stand in the address; `entry` is the provider's for this shape. */
  urlFor?(endpointUrl: URL, call: RelayCall, model: string): URL;
  /** Where answers name their model, if not in `model`. */
  modelField?: string;
  /** Undefined when it is no answer of this shape. */
  readReply(json: Readonly<Record<string, unknown>>): ReplyFacts | undefined;
  /** How an answer of this content type is to be taken; undefined when it must be JSON. */
  nonJsonReply?(call: RelayCall, contentType: string): NonJsonReply | undefined;
  /** What of a plain text the model wrote; all of it, where nothing is said. */
  modelTextIn?(text: string): string;
  /** What is charged where it is not text alone: by the provider's word or by what was seen, in the way of the price. */
  usageFor?(
    call: RelayCall,
    reported: ReportedUsage | undefined,
    delivered: DeliveredOutput,
    rates: Rates,
  ): ChargedUsage;
  /** The events that say the same as a whole answer, for providers that take the wish for a stream and forget it. */
  eventsFromReply?(json: Readonly<Record<string, unknown>>): string;
  /** Providers may answer a call for a stream with a whole answer, so nothing is sent before they begin. */
  isStreamOptional?: true;
  /** A provider may think this long before it begins to answer; where nothing is said, as long as any. */
  firstByteTimeoutMs?: number;
  /** The longest event of its streams, where it is longer than text ever is. */
  eventBytesMax?: number;
  /** What is wrong, where the provider says so in an answer whose status is good. */
  errorIn?(json: Readonly<Record<string, unknown>>): ErrorInBody | undefined;
  /** The provider never streams: a whole answer is translated as the only event of a stream. */
  isSingleEvent?: true;
  /** A reader for the events of one stream. */
  createEventReader(call: RelayCall): StreamEventReader;
  /** Ends a stream; ours to give where the upstream forgot it: clients wait for it. */
  terminator: string;
  errorFormat: ErrorFormat;
  /** The smallest call that shows whether a channel works; undefined where it would take a file. */
  probeBody(model: string, question: string, answerTokens: number): unknown;
}

/** Asks how long a prompt is: a shape whose address is that of counting, and the member of the answer that says it. */
export interface TokenCounter {
  format: ApiFormat;
  totalField: string;
}
