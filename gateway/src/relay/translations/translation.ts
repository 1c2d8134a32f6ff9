/** Lets callers of one shape be served by a channel that speaks another. Pure: bodies and events in, the same out. */
import type { Json } from "../json-parts.ts";
import type { Call, Shape } from "../shapes/shape.ts";

/** Turns what one answer says into the caller's shape. */
export interface AnswerTranslator {
  /** A whole answer; it was found to be one of the upstream's shape. */
  whole(json: Json): unknown;
  /** The caller's events for one of the upstream's; empty when it has none. */
  event(event: string): string;
  /** What the caller still lacks when the upstream has said everything. */
  end(): string;
}

export interface Translation {
  /** What the upstream speaks. */
  to: Shape;
  /**
   * The caller's body in the upstream's shape; `model` is the name that the upstream will get. Whether events are wanted
   * is not in every body.
   */
  body(json: Json, model: string, isStream?: boolean): Json;
  answers(call: Call): AnswerTranslator;
  /** Members of the caller's body that have no word over there: paths with dots between, sorted, each once. */
  lost(json: Json, model: string): readonly string[];
  /**
   * By the paths of the upstream's body what the caller's body has in their place; null for what the translation made
   * up. The longest that fits counts, and what is not named is called alike.
   */
  writtenAs?: Readonly<Record<string, string | null>>;
}
