/**
 * Lets a channel that speaks one format serve clients of another. Pure: requests and events in, the
 * same out.
 */

import type { UpstreamFormat } from "../formats/api-format.ts";
import type {
  AskedModel,
  AskedReply,
  AskedSize,
  SentBody,
  StoredReply,
} from "../formats/call-parts.ts";
import { applyValueRules } from "../value-rules/apply-value-rules.ts";
import type { RuleDestination } from "../value-rules/vendors.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import { RequestReader } from "./request-reader.ts";

/** Translates one reply into the client's format. */
export interface ReplyTranslator {
  /** A whole reply; the upstream format has recognized it as one. */
  translateReply(json: JsonRecord): unknown;
  /** The client's events for one of the upstream's; empty when it has none. */
  translateEvent(event: string): string;
  /** The rest of the client's stream, when the upstream's is complete. */
  finish(): string;
}

/** `TranslatedCall` is what the translation of an answer reads of its call. */
export interface TranslatedCall extends AskedModel, AskedReply, AskedSize, SentBody, StoredReply {}

export interface Translation {
  target: UpstreamFormat;
  /** The target's API has no tools that the client runs. */
  lacksTools?: true;
  /**
   * The client's request in the format of the target. `model` is the name that the upstream gets;
   * not every request says whether it asks for a stream. Fields that the translation does not read
   * are the ones it leaves out.
   */
  translateRequest(request: RequestReader, model: string, isStream?: boolean): JsonRecord;
  createReplyTranslator(call: TranslatedCall): ReplyTranslator;
  /**
   * Fields of the translated request by their path, with the path of the client's field that each
   * comes from; null for what the translation made up. The longest matching path counts; a path
   * without an entry is the client's own.
   */
  sourceFields?: Readonly<Record<string, string | null>>;
}

export interface TranslatedRequest {
  body: JsonRecord;
  /**
   * Fields of the client's request that `body` leaves out, as paths with dots between: sorted, each
   * once.
   */
  dropped: readonly string[];
  /** The client's names of tools by those that are sent; undefined where all are the same. */
  renamed?: ReadonlyMap<string, string> | undefined;
}

/** The request as the provider takes it: translated, and without what it is known to refuse. */
export function translateRequest(
  translation: Translation,
  json: JsonRecord,
  model: string,
  isStream?: boolean,
  destination?: RuleDestination,
): TranslatedRequest {
  const request = new RequestReader(json);
  const translated = translation.translateRequest(request, model, isStream);
  const { body, lost, renamed } = applyValueRules(
    translated,
    translation.target.endpoint,
    model,
    destination,
  );
  for (const path of lost) {
    const source = findSourceField(path, translation.sourceFields ?? {});
    if (source !== null) request.addDropped(source);
  }
  return { body, dropped: request.dropped(), renamed };
}

/**
 * The client's name for a field of the translated request; null where the translation made the
 * field up.
 */
export function findSourceField(
  name: string,
  sourceFields: Readonly<Record<string, string | null>>,
): string | null {
  for (let end = name.length; end > 0; end = name.lastIndexOf(".", end - 1)) {
    const source = sourceFields[name.slice(0, end)];
    if (source !== undefined) return source && source + name.slice(end);
  }
  return name;
}
