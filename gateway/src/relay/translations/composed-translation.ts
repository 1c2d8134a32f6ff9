/** Two translations as one: what the first says in its target, the second says in its own. */

import type { JsonRecord } from "../wire/json-parts.ts";
import { RequestReader } from "./request-reader.ts";
import {
  findSourceField,
  type ReplyTranslator,
  type TranslatedCall,
  type Translation,
} from "./translation.ts";

const afterBlankLine = /(?<=\n\n)/;

export const composeTranslations = (first: Translation, second: Translation): Translation => ({
  target: second.target,
  ...(second.lacksTools && { lacksTools: second.lacksTools }),
  sourceFields: joinedSources(first.sourceFields, second.sourceFields),
  translateRequest(request, model, isStream) {
    const intermediate = new RequestReader(first.translateRequest(request, model, isStream));
    const body = second.translateRequest(intermediate, model, isStream);
    for (const name of intermediate.dropped()) {
      const source = findSourceField(name, first.sourceFields ?? {});
      if (source !== null) request.addDropped(source);
    }
    return body;
  },
  createReplyTranslator: (call) => new ComposedReplyTranslator(call, first, second),
});

/**
 * Fields of the second translation's request, by the names that the first translation's client
 * used.
 */
function joinedSources(
  first: Translation["sourceFields"] = {},
  second: Translation["sourceFields"] = {},
): NonNullable<Translation["sourceFields"]> {
  const joined = Object.entries(second).map(
    ([name, source]) => [name, source && findSourceField(source, first)] as const,
  );
  return { ...first, ...Object.fromEntries(joined) };
}

class ComposedReplyTranslator implements ReplyTranslator {
  readonly #toCaller: ReplyTranslator;
  readonly #fromUpstream: ReplyTranslator;

  constructor(call: TranslatedCall, first: Translation, second: Translation) {
    this.#toCaller = first.createReplyTranslator(call);
    // The first translation needs the usage and decides whether the client receives it.
    this.#fromUpstream = second.createReplyTranslator({ ...call, wantsUsage: true });
  }

  translateReply(json: JsonRecord): unknown {
    return this.#toCaller.translateReply(this.#fromUpstream.translateReply(json) as JsonRecord);
  }

  translateEvent(event: string): string {
    return this.#passOn(this.#fromUpstream.translateEvent(event));
  }

  finish(): string {
    return this.#passOn(this.#fromUpstream.finish()) + this.#toCaller.finish();
  }

  #passOn(events: string): string {
    if (events === "") return "";
    return events
      .split(afterBlankLine)
      .map((event) => this.#toCaller.translateEvent(event))
      .join("");
  }
}
