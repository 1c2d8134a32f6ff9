/**
 * A shape is the grammar of one API that clients and providers speak: what a call in it asks for, what its answers and
 * events say that the gateway must know, and how it words an error. Pure; the bytes themselves go through.
 */
import type { EndpointName } from "@tollgate/contract/channel-endpoints.ts";
import type { Refusal } from "../relay-refusal.ts";
import type { ReadUsage } from "../usage.ts";

/**
 * What callers call, by the names of channel settings, and those of Gemini's own interface, which settings do not know:
 * calls, streams that are lists, and embeddings.
 */
export type Entry = EndpointName | "gemini" | "gemini_list" | "gemini_embeddings";

/** What the gateway acts on in a body; everything else is the provider's business and goes through untouched. */
export interface Asked {
  model: string;
  isStream: boolean;
  /** Completion tokens that the caller allows. */
  maxTokens: number | undefined;
  /** Answers per call, `n`. */
  answers: number;
  promptEstimate: number;
  /** The member that points at what a provider keeps; no other provider could know it. */
  refersTo?: string | undefined;
  /** Chat completions: the caller asked for the usage event at the end of a stream. */
  wantsUsage: boolean;
  /** Chat completions: as the caller wrote them, beside the request for usage. */
  streamOptions: Readonly<Record<string, unknown>>;
}

/** One call as the caller wrote it. */
export interface Call extends Asked {
  shape: Shape;
  body: Buffer;
  /** Of the caller's headers, those that the shape hands on: names and values in turn. */
  headers: readonly string[];
}

/** What a whole answer says. */
export interface AnswerFacts {
  usage: ReadUsage | undefined;
  /** What the model wrote, tool arguments included. */
  text: string;
}

/** An error that the provider tells beside HTTP; `status` is what HTTP would have said. */
export interface Failure {
  status: number;
  message: string;
  code?: string | number | null;
}

export interface EventFacts {
  /** `damaged` is data that is no whole JSON object: nobody could read it. */
  kind: "content" | "other" | "error" | "done" | "damaged";
  /** Characters of visible or reasoning text, or of tool arguments, in the event. */
  textBytes: number;
  /** What the stream has used so far, by its own word. */
  usage?: ReadUsage;
  /** A caller who did not ask for this event must not see it. */
  isHidden?: boolean;
  /** The model gave its reason to stop: it has said everything. */
  isLast?: boolean;
  error?: unknown;
}

export type ReadEvent = (event: string) => EventFacts;

/** How the gateway speaks when it is not the provider that speaks. */
export interface Wording {
  body(refusal: Refusal, requestId: string): string;
  /** The events that tell a caller inside a stream what went wrong, and end it. */
  streamEnd(refusal: Refusal, requestId: string): string;
}

export interface Shape {
  entry: Entry;
  /** Throws `Refused` when the body is not of this shape. */
  read(json: unknown, isEstimateRough: boolean): Asked;
  /** The caller's headers that mean something to the provider. */
  passedHeaders: readonly string[];
  /** The body for an upstream of the same shape. */
  bodyFor(call: Call, model: string, systemPrompt: string | null): Buffer;
  /** Where a call goes, should its model or what it asks stand in the address; `entry` is the provider's for this shape. */
  address?(entry: URL, call: Call, model: string): URL;
  /** Where answers name their model, if not in `model`. */
  modelMember?: string;
  /** Undefined when it is no answer of this shape. */
  answer(json: Readonly<Record<string, unknown>>): AnswerFacts | undefined;
  /** What is wrong, where the provider says so in an answer whose status is good. */
  failure?(json: Readonly<Record<string, unknown>>): Failure | undefined;
  /** The provider never streams: a whole answer is translated as the only event of a stream. */
  isOneEvent?: true;
  /** A reader for the events of one stream. */
  events(call: Call): ReadEvent;
  /** Ends a stream; ours to give where the upstream forgot it: clients wait for it. */
  terminator: string;
  wording: Wording;
  /** The smallest call that shows whether a channel works. */
  probe(model: string, question: string, answerTokens: number): unknown;
}

/** Asks how long a prompt is: a shape whose address is that of counting, and the member of the answer that says it. */
export interface TokenCounter {
  shape: Shape;
  total: string;
}
