/** Two translations as one: what the first says in its target, the second says in its own. */

import type { Json } from "../json-parts.ts";
import type { Call } from "../shapes/shape.ts";
import type { AnswerTranslator, Translation } from "./translation.ts";

const afterBlankLine = /(?<=\n\n)/;

export const composed = (first: Translation, second: Translation): Translation => ({
  to: second.to,
  body: (json, model, isStream) => second.body(first.body(json, model, isStream), model, isStream),
  answers: (call) => new ComposedAnswers(call, first, second),
});

class ComposedAnswers implements AnswerTranslator {
  readonly #toCaller: AnswerTranslator;
  readonly #fromUpstream: AnswerTranslator;

  constructor(call: Call, first: Translation, second: Translation) {
    this.#toCaller = first.answers(call);
    // Usage is between the two; the caller's wish for it is the first's business.
    this.#fromUpstream = second.answers({ ...call, wantsUsage: true });
  }

  whole(json: Json): unknown {
    return this.#toCaller.whole(this.#fromUpstream.whole(json) as Json);
  }

  event(event: string): string {
    return this.#passOn(this.#fromUpstream.event(event));
  }

  end(): string {
    return this.#passOn(this.#fromUpstream.end()) + this.#toCaller.end();
  }

  #passOn(events: string): string {
    if (events === "") return "";
    return events
      .split(afterBlankLine)
      .map((event) => this.#toCaller.event(event))
      .join("");
  }
}
