// What the races share: a gateway for each, and the same check of the books at the end.
import { setTimeout as pause } from "node:timers/promises";
import { buildMeaning } from "@tollgate/contract/api/errors.ts";
import { eventually } from "@tollgate/tests/harness/eventually.ts";
import { chatBody } from "@tollgate/tests/harness/test-gateway.ts";
import { findBookErrors } from "../runs/check-books.ts";
import { type RunGateway, type RunGatewayOptions, startRunGateway } from "../runs/run-gateway.ts";
import type { RunStore } from "../runs/with-store.ts";

export interface RaceOptions extends RunStore {
  seed: number;
  /** Ends the long race early; it then proves what it has done so far. */
  stop?: AbortSignal;
}

export interface RaceResult {
  /** Calls, attempts or restarts: the unit of the race. */
  size: number;
  /** The measurements, as a line of text. */
  figures: string;
  problems: string[];
}

/** `count` is the number of racers, calls, codes or restarts. */
export type Race = (use: RaceOptions, count: number) => Promise<RaceResult>;

const settledWithinMs = 120_000;
/** PostgreSQL's roll-ups follow within a second. */
const foldedWithinMs = 60_000;

/** Runs a race on its own gateway; after the race nothing may be open, and the books must agree. */
export async function withRaceGateway(
  { store, postgresUrl }: RaceOptions,
  options: Pick<RunGatewayOptions, "env" | "upstreams">,
  run: (runGateway: RunGateway) => Promise<RaceResult>,
): Promise<RaceResult> {
  const runGateway = await startRunGateway({ store, postgresUrl, ...options });
  try {
    const found = await run(runGateway);
    await untilNothingIsOpen(runGateway);
    const problem = [...found.problems, ...(await findBookErrors(runGateway))];
    if (/unhandledRejection|uncaughtException/.test(runGateway.world.process.output())) {
      problem.push("the gateway met an error that nothing caught");
    }
    return { ...found, problems: problem };
  } finally {
    await runGateway.close();
  }
}

export async function untilNothingIsOpen(runGateway: RunGateway): Promise<void> {
  await runGateway.world.settled({ timeoutMs: settledWithinMs });
}

/** Shorter than the gateway's Retry-After: a racer does not wait for long. */
const againAfterMs = 250;

/**
 * Calls that are repeated when a busy machine was too slow: PostgreSQL was not reached in time
 * (503), or a request head did not arrive in time, which Node itself ends (408). Neither may leave
 * anything behind.
 */
export function retryingCaller(runGateway: RunGateway) {
  let repeats = 0;
  return {
    /** `told` is for the figures: the number of repetitions. */
    told: (): string => (repeats === 0 ? "" : `; ${repeats} made again after a 503 or 408`),

    async call(
      key: string,
      body: Record<string, unknown>,
      options: { signal?: AbortSignal; headers?: Record<string, string> } = {},
    ): Promise<Response> {
      while (true) {
        const response = await runGateway.world.send(key, chatBody(body), options);
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

/** The message of the relay, or the one of the management API. */
export const isAboutStorage = (text: string): boolean =>
  text.includes("Storage is not available") ||
  text.includes(buildMeaning("storage_unavailable").message);

/** Waits until no charge is queued for the roll-ups. */
export async function rollupsFolded(runGateway: RunGateway): Promise<void> {
  if (runGateway.store === "sqlite") return;
  await eventually(
    async () => {
      const [row] = await runGateway.rows<{ count: number }>(
        "select count(*) as count from rollup_queue",
      );
      if (Number(row?.count) > 0) throw new Error(`${row?.count} charges wait for the roll-ups`);
    },
    { timeoutMs: foldedWithinMs },
  );
}

/** `difference` gives one text for a difference, none when the values are equal. */
export const difference = (what: string, found: unknown, expected: unknown): string[] =>
  found === expected ? [] : [`${what}: ${found} instead of ${expected}`];

export const sumOf = (numbers: Iterable<number>): number => {
  let sum = 0;
  for (const one of numbers) sum += one;
  return sum;
};

/** Runs `act` for each, at most `width` at a time; answers in order. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  width: number,
  run: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results = new Array<Result>(items.length);
  let next = 0;
  await Promise.all(
    Array.from({ length: Math.min(width, items.length) }, async () => {
      while (next < items.length) {
        const index = next;
        next += 1;
        results[index] = await run(items[index] as Item, index);
      }
    }),
  );
  return results;
}
