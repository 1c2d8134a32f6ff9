/**
 * The two roles of an API format: what clients send to the gateway, and what providers speak with
 * it. Everything here is pure: the bytes themselves pass through.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import type { EndpointName } from "@tollgate/contract/catalogue/channel-endpoints.ts";
import type { ExtraUsage, Rates } from "../../money/prices/price.ts";
import type { ServedTerms } from "../../money/prices/price-factors.ts";
import type { UsedLimit } from "../admission/token-limits.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import type { MultipartForm } from "../wire/multipart.ts";
import type { RelayRefusal } from "../wire/relay-refusal.ts";
import type {
  AskedModel,
  AskedReply,
  AskedSize,
  CallLabels,
  LimitedOutput,
  PassedHeaders,
  PlainRequest,
  RoutingNeeds,
  SentBody,
  StatedNeeds,
  StoredReply,
} from "./call-parts.ts";
import type { OutputLimitWriter } from "./hold-size/output-limit.ts";
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

/** The fields of a request that the gateway acts on. All others go to the provider untouched. */
export interface ParsedRequest extends PlainRequest, StatedNeeds {}

/** `CallFormats` are the languages of a call's two sides. */
export interface CallFormats {
  /** `client` says how the client speaks: its request, and the errors it understands. */
  client: ClientFormat;
  /** `upstream` says how the body is written, and how the provider replies to it. */
  upstream: UpstreamFormat;
}

/** `RelayCall` is one call on its way from a client to a provider. */
export interface RelayCall
  extends ParsedRequest,
    AskedModel,
    RoutingNeeds,
    CallFormats,
    SentBody,
    CallLabels,
    PassedHeaders,
    LimitedOutput,
    StoredReply {}

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
  /** Embeddings: the vectors that hold anything. */
  vectorCount?: number;
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

/** `RequestWriter` is how a call is written for one API of a provider. */
export interface RequestWriter {
  /** The body to send: `call.body` with the fields that the channel replaces. */
  writeBody(
    call: SentBody & AskedModel & AskedReply,
    model: string,
    systemPrompt: string | null,
  ): Buffer;
  /**
   * The address of a call, where model or operation are part of it; `endpointUrl` is the channel's
   * for this API.
   */
  urlFor?(endpointUrl: URL, call: AskedReply, model: string): URL;
  /** POST by default. */
  method?: "GET" | "DELETE" | "PATCH";
  /** A body that is made while it is sent, in place of `writeBody`. It can be sent once. */
  openBody?(): Readable;
  /** A second one would be kept, and billed, without anybody who knows of it. */
  isSentOnce?: true;
}

/** `ReplyReader` is how a whole reply of one API is read. */
export interface ReplyReader {
  /** The field of a reply that names the model, if not `model`. */
  modelField?: string;
  /** The error in a reply with a successful status. */
  errorIn?(json: JsonRecord, call?: CallFormats): ErrorInBody | undefined;
  /** Undefined when the JSON is not a reply of this API. */
  readReply(json: JsonRecord): ReplyFacts | undefined;
}

/** `StreamReader` is how the streams of one API are read. */
export interface StreamReader {
  /** Creates a reader for the events of one stream. */
  createEventReader(call: AskedReply & CallFormats): StreamEventReader;
  /**
   * The event that ends a stream. The gateway adds it where the provider omits it, because clients
   * wait for it.
   */
  terminator: string;
  /** The largest event of a stream, where it is larger than text ever is. */
  eventBytesMax?: number;
}

/** `UpstreamFormat` is what one API of a provider accepts, and how it replies. */
export interface UpstreamFormat extends RequestWriter, ReplyReader, StreamReader {
  endpoint: ApiEndpoint;
  replies: ReplyStrategy;
  /** Computes the charged usage where it is not text alone, in the units of the price. */
  usageFor?(
    call: AskedSize & SentBody,
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
  nonJsonReply?(call: SentBody, contentType: string): NonJsonReply | undefined;
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
