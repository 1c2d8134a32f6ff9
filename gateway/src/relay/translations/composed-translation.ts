/** Two translations as one: what the first says in its target, the second says in its own. */

import type { RelayCall } from "../formats/api-format.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import type { ReplyTranslator, Translation } from "./translation.ts";

const afterBlankLine = /(?<=\n\n)/;

export function composeTranslations(first: Translation, second: Translation): Translation {
  /** Bodies between the two: each is asked for twice, to go on, and to see what it loses there. */
  const intermediates = new WeakMap<JsonRecord, { model: string; between: JsonRecord }>();
  const intermediateFor = (json: JsonRecord, model: string): JsonRecord => {
    const cached = intermediates.get(json);
    return cached?.model === model ? cached.between : first.translateRequest(json, model);
  };
  return {
    target: second.target,
    translateRequest(json, model, isStream) {
      const intermediate = first.translateRequest(json, model, isStream);
      intermediates.set(json, { model, between: intermediate });
      return second.translateRequest(intermediate, model, isStream);
    },
    createReplyTranslator: (call) => new ComposedReplyTranslator(call, first, second),
    droppedFields(json, model) {
      const laterDropped = second.droppedFields(intermediateFor(json, model), model);
      const sourceNames = laterDropped.flatMap((name) => sourceFieldOf(name, first.sourceFields ?? {}) ?? []);
      return [...new Set([...first.droppedFields(json, model), ...sourceNames])].toSorted();
    },
  };
}

/** What the caller wrote where the body between the two has `name`; nothing where the first made it up. */
function sourceFieldOf(name: string, sourceFields: Readonly<Record<string, string | null>>): string | null {
  for (let end = name.length; end > 0; end = name.lastIndexOf(".", end - 1)) {
    const source = sourceFields[name.slice(0, end)];
    if (source !== undefined) return source && source + name.slice(end);
  }
  return name;
}

class ComposedReplyTranslator implements ReplyTranslator {
  readonly #toCaller: ReplyTranslator;
  readonly #fromUpstream: ReplyTranslator;

  constructor(call: RelayCall, first: Translation, second: Translation) {
    this.#toCaller = first.createReplyTranslator(call);
    // Usage is between the two; the caller's wish for it is the first's business.
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
