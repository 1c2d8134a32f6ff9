/** Lets a channel that speaks one format serve clients of another. Pure: requests and events in, the same out. */

import type { RelayCall, UpstreamFormat } from "../formats/api-format.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import { fitIdentifiers } from "./fit-identifiers.ts";
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

export interface Translation {
  target: UpstreamFormat;
  /** The target's API has no tools that the client runs. */
  lacksTools?: true;
  /**
   * The client's request in the format of the target. `model` is the name that the upstream gets; not every request
   * says whether it asks for a stream. Fields that the translation does not read are the ones it leaves out.
   */
  translateRequest(request: RequestReader, model: string, isStream?: boolean): JsonRecord;
  createReplyTranslator(call: RelayCall): ReplyTranslator;
  /**
   * Fields of the translated request by their path, with the path of the client's field that each comes from; null for
   * what the translation made up. The longest matching path counts; a path without an entry is the client's own.
   */
  sourceFields?: Readonly<Record<string, string | null>>;
}

export interface TranslatedRequest {
  body: JsonRecord;
  /** Fields of the client's request that `body` leaves out, as paths with dots between: sorted, each once. */
  dropped: readonly string[];
}

export function translateRequest(
  translation: Translation,
  json: JsonRecord,
  model: string,
  isStream?: boolean,
): TranslatedRequest {
  const request = new RequestReader(json);
  const body = fitIdentifiers(translation.translateRequest(request, model, isStream), translation.target.endpoint);
  return { body, dropped: request.dropped() };
}
