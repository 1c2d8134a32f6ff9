/**
 * The pace and the load of each model on this node, for virtual models that choose by it. Counted
 * for every call.
 */

/** The weight of the newest measurement: a change shows after a few calls. */
const newestShare = 0.2;
/** Older measurements say nothing about a model now. */
const rememberedMs = 600_000;
/** Channels may list any number of models; beyond this the longest unused one is dropped. */
const modelsMax = 5_000;

interface PaceEntry {
  running: number;
  firstContentMs: number | undefined;
  measuredAt: number;
}

/** `PacedCall` is one attempt at a model. */
export interface PacedCall {
  /** The attempt succeeded, with its first content at this time. */
  measured(firstContentAt: number): void;
  /** The attempt has ended; later calls change nothing. */
  end(): void;
}

export interface ModelPace {
  begin(model: string): PacedCall;
  firstContentMs(model: string): number | undefined;
  runningCalls(model: string): number;
}

export function createModelPace(now: () => number): ModelPace {
  const entries = new Map<string, PaceEntry>();

  function entryOf(model: string): PaceEntry {
    const known = entries.get(model);
    if (known) return known;
    const made = { running: 0, firstContentMs: undefined, measuredAt: 0 };
    if (entries.size >= modelsMax) entries.delete(entries.keys().next().value ?? model);
    entries.set(model, made);
    return made;
  }

  return {
    begin(model) {
      const entry = entryOf(model);
      const begunAt = now();
      let isRunning = true;
      entry.running += 1;
      return {
        measured(firstContentAt) {
          const newest = Math.max(0, firstContentAt - begunAt);
          const before = now() - entry.measuredAt < rememberedMs ? entry.firstContentMs : undefined;
          entry.firstContentMs =
            before === undefined ? newest : before + (newest - before) * newestShare;
          entry.measuredAt = now();
        },
        end() {
          if (isRunning) entry.running -= 1;
          isRunning = false;
        },
      };
    },
    firstContentMs(model) {
      const entry = entries.get(model);
      return entry && now() - entry.measuredAt < rememberedMs ? entry.firstContentMs : undefined;
    },
    runningCalls: (model) => entries.get(model)?.running ?? 0,
  };
}
