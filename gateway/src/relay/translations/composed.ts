/** Two translations as one: what the first says in its target, the second says in its own. */

import type { Json } from "../json-parts.ts";
import type { Call } from "../shapes/shape.ts";
import type { AnswerTranslator, Translation } from "./translation.ts";

const afterBlankLine = /(?<=\n\n)/;

export function composed(first: Translation, second: Translation): Translation {
  /** Bodies between the two: each is asked for twice, to go on, and to see what it loses there. */
  const known = new WeakMap<Json, { model: string; between: Json }>();
  const betweenFor = (json: Json, model: string): Json => {
    const found = known.get(json);
    return found?.model === model ? found.between : first.body(json, model);
  };
  return {
    to: second.to,
    body(json, model, isStream) {
      const between = first.body(json, model, isStream);
      known.set(json, { model, between });
      return second.body(between, model, isStream);
    },
    answers: (call) => new ComposedAnswers(call, first, second),
    lost(json, model) {
      const later = second.lost(betweenFor(json, model), model);
      const said = later.flatMap((name) => writtenFor(name, first.writtenAs ?? {}) ?? []);
      return [...new Set([...first.lost(json, model), ...said])].toSorted();
    },
  };
}

/** What the caller wrote where the body between the two has `name`; nothing where the first made it up. */
function writtenFor(name: string, writtenAs: Readonly<Record<string, string | null>>): string | null {
  for (let end = name.length; end > 0; end = name.lastIndexOf(".", end - 1)) {
    const written = writtenAs[name.slice(0, end)];
    if (written !== undefined) return written && written + name.slice(end);
  }
  return name;
}

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
