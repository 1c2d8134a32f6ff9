/** An answer as a real provider gave it, and what it must be charged. */
import type { Usage } from "@tollgate/gateway/money/prices/price.ts";
import type { ApiEndpoint } from "@tollgate/gateway/relay/formats/api-format.ts";

export type WireObject = Readonly<Record<string, unknown>>;
export type AnswerFormat = Extract<
  ApiEndpoint,
  "chat_completions" | "response_api" | "claude_messages" | "gemini" | "bedrock_converse"
>;

export interface RecordedAnswer {
  /** The recordings of this answer, whole or streamed. */
  after: readonly string[];
  speaks: AnswerFormat;
  /** `content` is what the model wrote and tools did, in order. */
  content: readonly string[];
  usage: WireObject;
  /** `started` is that of Messages: what the first event of a stream says. */
  started?: WireObject;
  /** Beside `usage`, where the provider counts its tools. */
  toolUsage?: WireObject;
  /** `stream` says how a stream differs from what its provider usually sends. */
  stream?:
    | "counted_with_end"
    | "counted_in_every_event"
    | "counted_before_end"
    | "started_twice"
    | "not_counted";
  billed: Partial<Usage>;
}
