/**
 * The differences of a provider from others with the same API. All of it is pure; `send` does the
 * I/O.
 */
import type { Readable } from "node:stream";
import type { CallFormats } from "../formats/api-format.ts";
import type { AskedReply, PassedHeaders } from "../formats/call-parts.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import type { StreamFraming } from "../wire/stream-splitter.ts";
import type { EndpointUrls, ProviderAddress } from "./endpoint-urls.ts";

/** The operator's settings of a channel, as its provider needs them. */
export interface ProviderSettings extends ProviderAddress {
  /** `other` as entered: a version, library or plugin for some types. */
  other: string;
  /** Bedrock: inference profiles by model. */
  profiles: ReadonlyMap<string, string>;
}

/** Settings and secret of a channel, for one call. */
export interface ProviderContext {
  settings: ProviderSettings;
  /** The stored key, or the token that the provider issued for it. */
  secret: string;
  /** Milliseconds since the epoch. */
  now: number;
}

export interface UpstreamRequest {
  url: URL;
  /** POST by default. */
  method?: "GET" | "DELETE" | "PATCH";
  /** Names and values in turn, as undici takes them. */
  headers: string[];
  body: Buffer;
  /** Sent in place of `body`, while it is made. */
  stream?: Readable;
  /** Not even where the connection ended just as it was sent. */
  isSentOnce?: true;
  /** Server-sent events by default. */
  framing?: StreamFraming;
  /** `readPoll` is for providers that must be polled for the reply. */
  readPoll?: ReadPoll;
  /** `firstByteWithinMs` says how long the first byte may take, if longer than the default. */
  firstByteWithinMs?: number;
}

/** A whole body is the reply, or calls for another request after a while. */
export type Poll = { body: Buffer } | { request: UpstreamRequest; afterMs: number };
export type ReadPoll = (body: Buffer) => Poll;

/**
 * `TokenExchange` is for keys that are not sent themselves: the provider issues a token for them.
 */
export interface TokenExchange {
  /** `isUsedBy` says whether the channel's key is exchanged; true if missing. */
  isUsedBy?(settings: ProviderSettings): boolean;
  /** Throws `InvalidChannelKey` for a key of another form. */
  request(key: string, settings: ProviderSettings, now: number): UpstreamRequest;
  /** Undefined when the response holds no token. */
  read(json: JsonRecord, now: number): { secret: string; livesMs: number } | undefined;
}

/** The stored key cannot be used; the message is for operators. */
export class InvalidChannelKey extends Error {}

export interface ProviderAdapter {
  /** The URLs of a model's endpoints that the provider offers itself. */
  endpoints(settings: ProviderSettings, model: string): EndpointUrls;
  /** The provider has no token-counting endpoint; use our estimate. */
  cannotCount?: true;
  /** `credentials` are the authentication headers, and any other that every request has. */
  credentials(secret: string, call: PassedHeaders): string[];
  tokenExchange?: TokenExchange;
  /** Final changes to a request, such as another URL or a signature. */
  finish?(
    request: UpstreamRequest,
    call: AskedReply & CallFormats,
    model: string,
    sender: ProviderContext,
  ): UpstreamRequest | Promise<UpstreamRequest>;
}
