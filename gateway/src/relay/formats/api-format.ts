/**
 * The two roles of an API format: what clients send to the gateway, and what providers speak with
 * it. Everything here is pure: the bytes themselves pass through.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import type { EndpointName } from "@tollgate/contract/catalogue/channel-endpoints.ts";
import type { ExtraUsage, Rates } from "../../money/prices/price.ts";
import type { ServedTerms } from "../../money/prices/price-factors.ts";
import type { KeptOwner } from "../admission/kept-owner.ts";
import type { TagPair } from "../admission/sent-tags.ts";
import type { UsedLimit } from "../admission/token-limits.ts";
import type { CallConversation } from "../routing/session-affinity.ts";
import type { RequestedRun } from "../runs/requested-run.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import type { MultipartForm } from "../wire/multipart.ts";
import type { RelayRefusal } from "../wire/relay-refusal.ts";
import type { NeededTools } from "./declared-tools.ts";
import type { CostMembers } from "./hold-size/cost-members.ts";
import type { OutputLimitWriter } from "./hold-size/output-limit.ts";
import type { UnseenInputs } from "./hold-size/unseen-inputs.ts";
import type { ChargedUsage, ReportedUsage, UsageLimits } from "./usage/reported-usage.ts";

/**
 * Endpoints that clients call, by their names in channel settings, and those of Gemini's own API,
 * which settings do not know: calls, streams that are JSON lists, and embeddings. The others name
 * the protocols that only providers speak.
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

/**
 * `compaction`: the provider shortens the conversation, encrypted for itself, or reads one that it
 * shortened. `videos`: it makes them by OpenAI's API. `token_ids`: it reads prompts as numbers of
 * OpenAI's tokens.
 */
export type OwnApiFeature = "compaction" | "videos" | "token_ids";

/** The fields of a request that the gateway acts on. All others go to the provider untouched. */
export interface ParsedRequest {
  model: string;
  isStream: boolean;
  /**
   * Completion tokens of one answer: the largest limit in the request; undefined without one, 0
   * where there is no output.
   */
  maxOutputTokens: number | undefined;
  /** Messages with a limit of 0: Anthropic fills its cache with the prompt and writes no answer. */
  writesNothing?: true;
  /** Answers: those asked for, for each of the prompts. */
  choiceCount: number;
  promptEstimate: number;
  /**
   * Estimated usage beside text: held for the call, and charged where the provider reports nothing
   * better. Output that can be counted in two ways is listed in both; the price uses one of them.
   */
  extras?: ExtraUsage;
  /**
   * `variant` is what the price depends on beside the model: size and quality of images, such as
   * `1024x1792/hd`, or how much is searched.
   */
  variant?: string;
  /**
   * The field that refers to something stored by one provider; no other provider can serve the
   * request.
   */
  refersTo?: string | undefined;
  /**
   * Something that a provider knows by its id, and that a translation leaves out: items in the
   * input of Responses, in Messages the token of a refused request, and an earlier answer with
   * which the cached prompt is compared.
   */
  namesItems?: boolean;
  /**
   * `ownApiFor` names a part that only a provider can do that speaks the client's format itself: no
   * translation can carry it.
   */
  ownApiFor?: OwnApiFeature | undefined;
  /** Chat completions: the client asked for the usage event at the end of a stream. */
  wantsUsage: boolean;
  /** Chat completions: the usage of the answer says what the call costs (told-cost.ts). */
  wantsCost?: boolean;
  /**
   * Members that ask the gateway and no provider, by their path: they are taken out of the body.
   */
  ownMembers?: readonly (readonly string[])[];
  /** Chat completions: `stream_options` as the client sent them. */
  streamOptions: Readonly<Record<string, unknown>>;
}

/** `RelayCall` is one call on its way from a client to a provider. */
export interface RelayCall extends ParsedRequest {
  /** The virtual model that `body` names, where `model` is its target. */
  requestedModel?: string;
  /** Models that the client names beside `model`, to be tried after it in this order. */
  fallbackModels?: readonly string[];
  /**
   * Completion tokens to which the balance limits an answer, not written into `body` yet: its
   * member depends on the target.
   */
  limitToWrite?: number;
  /** `client` says how the client speaks: its request, and the errors it understands. */
  client: ClientFormat;
  /** `upstream` says how `body` is written, and how the provider replies to it. */
  upstream: UpstreamFormat;
  body: Buffer;
  /**
   * `unseen` is what the provider reads beside `body`, if anything: the estimate of the prompt does
   * not count it.
   */
  unseen?: UnseenInputs;
  /** The parts of `body` where it is multipart/form-data; otherwise `body` is JSON. */
  form?: MultipartForm;
  /** The client's headers that are passed on: names and values alternate. */
  headers: readonly string[];
  /**
   * The members at the top of the client's body, so that nobody parses it for one that is not
   * there; undefined where it was not JSON.
   */
  members?: ReadonlySet<string>;
  /** Members that choose a model or change the price; undefined for nearly every call. */
  costMembers?: CostMembers | undefined;
  /** `neededTools` are what the request needs of its tools; undefined where it has none. */
  neededTools?: NeededTools | undefined;
  /** The conversation that the call continues. */
  conversation?: CallConversation | undefined;
  /** The tags that the body names; undefined for nearly every call. */
  bodyTags?: readonly TagPair[] | undefined;
  /** The run of an agent that the call names, if any. */
  run?: RequestedRun | undefined;
  /** Responses: where the gateway stores the reply if it is a translated one. */
  storeAs?: StoredResponseTarget;
}

/**
 * `StoredResponseTarget` is the place at which the gateway stores a reply, and the conversation
 * before it.
 */
export interface StoredResponseTarget {
  id: string;
  owner: KeptOwner;
  /** `previousId` is as the client sent it. */
  previousId: string | null;
  /** Items of `input`. */
  input: readonly JsonRecord[];
}

/** `ReplyFacts` are what the gateway needs to know of a whole reply. */
export interface ReplyFacts {
  usage: ReportedUsage | undefined;
  /** The text that the model wrote, including tool arguments. */
  text: string;
  /** Characters of output that is no text, such as encrypted reasoning. */
  opaqueLength?: number;
  /** Estimated usage beside text that the reply carries. */
  extras?: ExtraUsage;
  /** Generated images. */
  images?: number;
  /** The tier, speed and region that the provider says it served. */
  served?: ServedTerms | undefined;
}

/** `DeliveredOutput` is what was delivered to the client. */
export interface DeliveredOutput {
  /** Characters of text, or bytes of audio. */
  textBytes: number;
  images: number;
}

/** A reply that is not JSON: `bytes` pass through as they arrive, `text` is read as a whole. */
export type NonJsonReply = "bytes" | "text";

/**
 * An error that the provider reports in the body of a successful response; `status` is the HTTP
 * status that fits.
 */
export interface ErrorInBody {
  status: number;
  message: string;
  code?: string | number | null;
}

/** `WrittenEvent` is what an event of a stream carries of the answer. */
export interface WrittenEvent {
  /** `malformed`: the data is not a whole JSON object, so no client could read it. */
  kind: "content" | "other" | "error" | "done" | "malformed";
  /**
   * Characters of visible or reasoning text, or of tool arguments, in the event; bytes of audio.
   */
  textBytes: number;
  /** `text` holds these characters. */
  text?: string;
  /** Characters of output that is no text, such as encrypted reasoning. */
  opaqueLength?: number;
  /**
   * Estimated usage beside text that the event carries: sound, pictures, searches of the provider.
   */
  extras?: ExtraUsage;
  /** Images that the event starts. */
  images?: number;
}

export interface StreamEventFacts extends WrittenEvent {
  /** Usage of the stream so far, as the provider reports it. */
  usage?: ReportedUsage;
  /** The tier, speed and region of the stream, as the provider reports them beside its usage. */
  served?: ServedTerms | undefined;
  /** The client did not ask for this event and must not receive it. */
  isHidden?: boolean;
  /** The event carries the finish reason: the model's output is complete. */
  isLast?: boolean;
  error?: unknown;
  /**
   * `empty`: the end of an answer, without anything of it: an answer only where some came before.
   * `broken`: `error` is the reason with which the answer ended: what came before belongs to the
   * client, also where it came with it.
   */
  badEnd?: "empty" | "broken" | undefined;
}

export type StreamEventReader = (event: string) => StreamEventFacts;

/** `ErrorFormat` says how errors of the gateway itself are written. */
export interface ErrorFormat {
  /**
   * `limitHeaders` gives what the client is told of the limits of its key; OpenAI's names where
   * this is missing.
   */
  limitHeaders?(used: readonly UsedLimit[], now: number): string[];
  /**
   * The status of a refusal where the dialect's clients need another one; `headers` are those of
   * the request.
   */
  statusOf?(refusal: RelayRefusal, headers: IncomingHttpHeaders): number;
  errorBody(refusal: RelayRefusal, requestId: string): string;
  /**
   * The events that report an error inside a stream and end it; `sent` is the last that the client
   * got before them.
   */
  streamError(refusal: RelayRefusal, requestId: string, sent?: Buffer): string;
}

/** `ClientFormat` is what clients of one API send, and the errors they understand. */
export interface ClientFormat {
  endpoint: ApiEndpoint;
  /**
   * `upstream` is the same API as providers speak it: a channel that has it receives the client's
   * bytes.
   */
  upstream: UpstreamFormat;
  /** Throws `Refused` when the body is not a request of this format. */
  parseRequest(json: unknown, isEstimateRough: boolean): ParsedRequest;
  /** `parseForm` does the same for multipart/form-data, where the API accepts it. */
  parseForm?(form: MultipartForm, isEstimateRough: boolean): ParsedRequest;
  /**
   * Writes the limit of an answer where the request states none; missing where the API has no such
   * limit.
   */
  writeOutputLimit?: OutputLimitWriter;
  /** Names of the client's headers that are passed to the provider. */
  passedHeaders: readonly string[];
  errorFormat: ErrorFormat;
}

/** `UpstreamFormat` is what one API of a provider accepts, and how it replies. */
export interface UpstreamFormat {
  endpoint: ApiEndpoint;
  /** The body to send: `call.body` with the fields that the channel replaces. */
  writeBody(call: RelayCall, model: string, systemPrompt: string | null): Buffer;
  /**
   * The address of a call, where model or operation are part of it; `endpointUrl` is the channel's
   * for this API.
   */
  urlFor?(endpointUrl: URL, call: RelayCall, model: string): URL;
  /** The field of a reply that names the model, if not `model`. */
  modelField?: string;
  replies: ReplyStrategy;
  /** The error in a reply with a successful status. */
  errorIn?(json: JsonRecord, call?: RelayCall): ErrorInBody | undefined;
  /** Undefined when the JSON is not a reply of this API. */
  readReply(json: JsonRecord): ReplyFacts | undefined;
  /** Creates a reader for the events of one stream. */
  createEventReader(call: RelayCall): StreamEventReader;
  /**
   * The event that ends a stream. The gateway adds it where the provider omits it, because clients
   * wait for it.
   */
  terminator: string;
  /** Computes the charged usage where it is not text alone, in the units of the price. */
  usageFor?(
    call: RelayCall,
    reported: ReportedUsage | undefined,
    delivered: DeliveredOutput,
    rates: Rates,
    limits: UsageLimits,
  ): ChargedUsage;
  /**
   * `firstByteTimeoutMs` says how long the provider may take before the first byte, where that is
   * longer than usual.
   */
  firstByteTimeoutMs?: number;
  /** POST by default. */
  method?: "GET" | "DELETE" | "PATCH";
  /** A body that is made while it is sent, in place of `writeBody`. It can be sent once. */
  openBody?(): Readable;
  /** A second one would be kept, and billed, without anybody who knows of it. */
  isSentOnce?: true;
  /** The largest event of a stream, where it is larger than text ever is. */
  eventBytesMax?: number;
}

/** `ReplyStrategy` says in which forms a provider replies, beside the JSON of a whole reply. */
export interface ReplyStrategy {
  /** The value of the `accept` header. */
  accept(isStream: boolean): string;
  /** The events that carry the same as a whole reply, for a client that asked for a stream. */
  streamFromReply?(json: JsonRecord, wantsUsage?: boolean): string;
  /**
   * The whole reply that the events of a stream add up to, for a client that asked for no stream;
   * undefined where they are none.
   */
  replyFromStream?(events: readonly JsonRecord[]): JsonRecord | undefined;
  /** The form of a reply with this content type; undefined when it must be JSON. */
  nonJsonReply?(call: RelayCall, contentType: string): NonJsonReply | undefined;
  /** The part of a plain-text reply that the model wrote; all of it, where this is missing. */
  modelTextIn?(text: string): string;
}

/**
 * Counts a prompt at a provider: a format that calls the counting operation, and the reply's field
 * with the count.
 */
export interface TokenCounter {
  format: ClientFormat;
  totalField: string;
  /** `members` are what the reply holds besides. */
  members?: JsonRecord;
}
