/** What sets a provider apart from the others that speak the same interface. All of it is pure; `send` does the talking. */
import type { ChannelType } from "@tollgate/contract/channel-types.ts";
import type { RelayCall } from "../formats/api-format.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import type { StreamFraming } from "../wire/stream-splitter.ts";
import type { EndpointUrls } from "./endpoint-urls.ts";

/** What an operator said about a channel, as its provider needs it. */
export interface ProviderSettings {
  type: ChannelType;
  /** Without slashes at its end; empty where it follows from something else. */
  base: string;
  /** The members of `config`, and of `other` where that holds JSON. */
  config: JsonRecord;
  /** `other` as it stands: a version, library or plugin for some types. */
  other: string;
  /** Bedrock: a model's inference profile. */
  profiles: ReadonlyMap<string, string>;
}

/** A channel and its key, for one call. */
export interface ProviderContext {
  settings: ProviderSettings;
  /** The stored key, or what the provider gave for it. */
  secret: string;
  /** Milliseconds since the epoch. */
  now: number;
}

export interface UpstreamRequest {
  url: URL;
  /** POST where nothing is said. */
  method?: "GET";
  /** Names and values in turn, as undici takes them. */
  headers: string[];
  body: Buffer;
  /** Server-sent events where nothing is said. */
  framing?: StreamFraming;
  /** For providers whose first answer is not yet the whole one. */
  readPoll?: ReadPoll;
  /** How long it may take to begin to answer, where that is longer than usual. */
  firstByteWithinMs?: number;
}

/** What a whole body is: the answer, or a reason to ask again after a while. */
export type Poll = { body: Buffer } | { request: UpstreamRequest; afterMs: number };
export type ReadPoll = (body: Buffer) => Poll;

/** A key that is not sent itself: the provider gives another for it, for a while. */
export interface TokenExchange {
  /** Whether the key of such a channel is one; all are, where this is missing. */
  isUsedBy?(settings: ProviderSettings): boolean;
  /** Throws `LoginRelayRefused` where the key is not of the form that is needed. */
  request(key: string, settings: ProviderSettings, now: number): UpstreamRequest;
  /** Undefined when the answer holds no secret. */
  read(json: JsonRecord, now: number): { secret: string; livesMs: number } | undefined;
}

/** The stored key cannot be used; the message is for operators. */
export class InvalidChannelKey extends Error {}

export interface ProviderAdapter {
  /** Where a model is called, by the interfaces in which the provider has it. */
  endpoints(settings: ProviderSettings, model: string): EndpointUrls;
  /** Nobody there says how long a prompt is: our estimate does. */
  cannotCount?: true;
  /** Headers that prove who calls. */
  credentials(secret: string, call: RelayCall): string[];
  tokenExchange?: TokenExchange;
  /** Last changes to a request, such as another address or a signature. */
  finish?(
    request: UpstreamRequest,
    call: RelayCall,
    model: string,
    sender: ProviderContext,
  ): UpstreamRequest | Promise<UpstreamRequest>;
}
