/** Lets callers of one shape be served by a channel that speaks another. Pure: bodies and events in, the same out. */

import type { RelayCall, UpstreamFormat } from "../formats/api-format.ts";
import type { JsonRecord } from "../wire/json-parts.ts";

/** Turns what one answer says into the caller's shape. */
export interface ReplyTranslator {
  /** A whole answer; it was found to be one of the upstream's shape. */
  translateReply(json: JsonRecord): unknown;
  /** The caller's events for one of the upstream's; empty when it has none. */
  translateEvent(event: string): string;
  /** What the caller still lacks when the upstream has said everything. */
  finish(): string;
}

export interface Translation {
  /** What the upstream speaks. */
  target: UpstreamFormat;
  /**
   * The caller's body in the upstream's shape; `model` is the name that the upstream will get. Whether events are wanted
   * is not in every body.
   */
  translateRequest(json: JsonRecord, model: string, isStream?: boolean): JsonRecord;
  createReplyTranslator(call: RelayCall): ReplyTranslator;
  /** Members of the caller's body that have no word over there: paths with dots between, sorted, each once. */
  droppedFields(json: JsonRecord, model: string): readonly string[];
  /**
   * By the paths of the upstream's body what the caller's body has in their place; null for what the translation made
   * up. The longest that fits counts, and what is not named is called alike.
   */
  sourceFields?: Readonly<Record<string, string | null>>;
}
