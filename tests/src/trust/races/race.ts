// What the races have in common: a running gateway for each, and the same books to answer to in the end.
import { setTimeout as pause } from "node:timers/promises";
import { meaningOf } from "@tollgate/contract/errors.ts";
import { eventually } from "../../harness/poll.ts";
import { troubleInBooks } from "../runs/books.ts";
import type { StoreUse } from "../runs/on-store.ts";
import { type Site, type SiteOptions, startSite } from "../runs/site.ts";

export interface RaceUse extends StoreUse {
  seed: number;
  /** The long race then goes no further, and proves what it has. */
  stop?: AbortSignal;
}

export interface RaceFound {
  /** Calls, attempts or restarts, whatever the race counts. */
  size: number;
  /** What was measured, in words. */
  figures: string;
  trouble: string[];
}

/** `count` is how many racers, calls, codes or restarts there are. */
export type Race = (use: RaceUse, count: number) => Promise<RaceFound>;

const settledWithinMs = 120_000;
/** PostgreSQL's roll-ups follow within a second. */
const foldedWithinMs = 60_000;

/** A gateway of the race's own; when the race is over nothing may be open, and the books must agree. */
export async function onSite(
  { store, postgresUrl }: RaceUse,
  options: Pick<SiteOptions, "env" | "upstreams">,
  act: (site: Site) => Promise<RaceFound>,
): Promise<RaceFound> {
  const site = await startSite({ store, postgresUrl, ...options });
  try {
    const found = await act(site);
    await nothingOpen(site);
    const trouble = [...found.trouble, ...(await troubleInBooks(site))];
    if (/unhandledRejection|uncaughtException/.test(site.world.gateway.output())) {
      trouble.push("the gateway met an error that nothing caught");
    }
    return { ...found, trouble };
  } finally {
    await site.close();
  }
}

export async function nothingOpen(site: Site): Promise<void> {
  await site.world.settled({ timeoutMs: settledWithinMs });
}

/** Below the seconds that the gateway asks for: a racer does not stand back for long. */
const againAfterMs = 250;

/**
 * Calls that are made again where a busy machine had no time for them: while PostgreSQL is not reached within its time
 * (503), and where a head did not come within its time, which Node itself ends (408). Nothing may stay behind of either.
 */
export function patientCaller(site: Site) {
  let repeats = 0;
  return {
    /** For the figures: how often that was. */
    told: (): string => (repeats === 0 ? "" : `; ${repeats} made again after a 503 or 408`),

    async call(key: string, body: Record<string, unknown>, signal?: AbortSignal): Promise<Response> {
      while (true) {
        const response = await site.call(key, body, signal);
        if (response.status !== 503 && response.status !== 408) return response;
        const text = await response.text();
        const hadNoTime = response.status === 408 ? text === "" : isAboutStorage(text);
        if (!hadNoTime) return new Response(text, response);
        repeats += 1;
        await pause(againAfterMs);
      }
    },
  };
}

/** As the relay says it, and as the console's side does. */
export const isAboutStorage = (text: string): boolean =>
  text.includes("Storage is not available") || text.includes(meaningOf("storage_unavailable").message);

/** Until no charge waits to be added to the roll-ups. */
export async function rollupsFolded(site: Site): Promise<void> {
  if (site.store === "sqlite") return;
  await eventually(
    async () => {
      const [row] = await site.rows<{ count: number }>("select count(*) as count from rollup_queue");
      if (Number(row?.count) > 0) throw new Error(`${row?.count} charges wait for the roll-ups`);
    },
    { timeoutMs: foldedWithinMs },
  );
}

/** A text for a difference, none where there is none. */
export const unlike = (what: string, found: unknown, due: unknown): string[] =>
  found === due ? [] : [`${what}: ${found} instead of ${due}`];

export const sumOf = (numbers: Iterable<number>): number => {
  let sum = 0;
  for (const one of numbers) sum += one;
  return sum;
};

/** Runs `act` for each, at most `width` at a time; answers in order. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  width: number,
  act: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results = new Array<Result>(items.length);
  let next = 0;
  await Promise.all(
    Array.from({ length: Math.min(width, items.length) }, async () => {
      while (next < items.length) {
        const index = next;
        next += 1;
        results[index] = await act(items[index] as Item, index);
      }
    }),
  );
  return results;
}
