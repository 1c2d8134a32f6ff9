/** A row of the table of value rules. Pure. */
import type { ApiEndpoint } from "../formats/api-format.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import type { Vendor } from "./vendors.ts";

/** `RuleContext` is what a rule may look at beside the value. */
export interface RuleContext {
  body: JsonRecord;
  /** The name of the model as `plainModel` writes it. */
  model: string;
}

/** The value in its new form; `removed` takes the member away. */
export const removed = Symbol("removed");
export type Fitted = unknown;

/**
 * `Fit` is what is sent instead. `hash`: the same short word for the same value, in every turn.
 * `rename`: the same for names of tools, which the client gets back as its own. `first`: the
 * beginning of a list. `nearest`: the nearest of the accepted words of an effort. `addsMissing`: a
 * member that is not there is refused, too.
 */
export type Fit =
  | { do: "hash"; max: number; pattern?: RegExp; prefix?: string; alphabet?: "base62" }
  | { do: "rename"; max: number; pattern: RegExp }
  | { do: "clamp"; min?: number; max?: number }
  | { do: "first"; count: number }
  | { do: "set"; value: unknown; addsMissing?: true }
  | { do: "move"; to: string }
  | { do: "drop" }
  | { do: "convert"; words: string; by(value: unknown, context: RuleContext): Fitted }
  | { do: "convert_body"; words: string; by(body: JsonRecord, context: RuleContext): JsonRecord };

export interface ValueRule {
  id: string;
  api: ApiEndpoint;
  /** Everywhere where it is missing. */
  at?: readonly Vendor[];
  /** Nowhere of these. */
  notAt?: readonly Vendor[];
  /** Only where neither the channel's type nor its host names a vendor. */
  servers?: "unknown";
  /** Matched against `plainModel`; every model where it is missing. */
  models?: RegExp;
  /**
   * The path of the member, with `[]` for each item of a list and `[type=x]` for each item with
   * that member. `convert_body` names the member that it looks at first.
   */
  member: string;
  /** `refuses` says whether the provider refuses this value; any value where it is missing. */
  refuses?(value: unknown, context: RuleContext): boolean;
  /** `refused` is what is refused, for the page. */
  refused: string;
  fit: Fit;
  /** `certain`: fitted before it is sent. `named`: after a 400 that names the member. */
  certainty: "certain" | "named";
  source: string;
}
