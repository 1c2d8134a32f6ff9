/**
 * Spans that wait to be sent. Bounded: where there is no room, the oldest calls that went well give
 * way first. Pure.
 */

/** `QueuedCall` is what a batch is made of: the spans of one call, which stay together. */
export interface QueuedCall<Span> {
  spans: readonly Span[];
  /** The call failed or was slow: what an operator looks for. */
  isKept: boolean;
}

export interface SpanQueue<Span> {
  /** Answers how many spans had to be dropped for these. */
  add(call: QueuedCall<Span>): number;
  /** The oldest calls, of `spansMax` spans together at most, or one call that has more. */
  take(spansMax: number): Span[];
  readonly size: number;
}

export function createSpanQueue<Span>(spansMax: number): SpanQueue<Span> {
  const kept: QueuedCall<Span>[] = [];
  const ordinary: QueuedCall<Span>[] = [];
  let size = 0;

  function removeOldest(from: QueuedCall<Span>[]): readonly Span[] {
    const spans = from.shift()?.spans ?? [];
    size -= spans.length;
    return spans;
  }

  return {
    add(call) {
      (call.isKept ? kept : ordinary).push(call);
      size += call.spans.length;
      let dropped = 0;
      while (size > spansMax) dropped += removeOldest(ordinary.length > 0 ? ordinary : kept).length;
      return dropped;
    },
    take(max) {
      const taken: Span[] = [];
      for (;;) {
        const from = kept.length > 0 ? kept : ordinary;
        const next = from[0]?.spans.length;
        if (next === undefined || (taken.length > 0 && taken.length + next > max)) return taken;
        taken.push(...removeOldest(from));
      }
    },
    get size() {
      return size;
    },
  };
}
