// The races of many clients at the same moment, each at the full size of `npm run trust -- races`.
import { accountingRace } from "./accounting-race.ts";
import { disconnectRace } from "./disconnect-race.ts";
import { overspendRace } from "./overspend-race.ts";
import type { Race, RaceOptions, RaceResult } from "./race-support.ts";
import { redeemRace } from "./redeem-race.ts";
import { restartRace } from "./restart-race.ts";
import { retryRace } from "./retry-race.ts";
import { stopRace } from "./stop-race.ts";

interface RaceDefinition {
  race: Race;
  /** Codes, racers, calls, clients, restarts or streams. */
  count: number;
  /** The size of the result that `count` leads to. */
  size: number;
  needsServer?: true;
}

export const races = {
  redeem: { race: redeemRace, count: 200, size: 20_000 },
  overspend: { race: overspendRace, count: 500, size: 4_500 },
  retries: { race: retryRace, count: 1_000, size: 1_000 },
  leavers: { race: disconnectRace, count: 1_000, size: 1_000 },
  restarts: { race: restartRace, count: 20, size: 20, needsServer: true },
  stop: { race: stopRace, count: 200, size: 200 },
  // The longest race, which can end early, is the last.
  accounting: { race: accountingRace, count: 100_000, size: 100_000 },
} as const satisfies Record<string, RaceDefinition>;

export type RaceName = keyof typeof races;

/** The races that exist on this database. */
export const racesOn = (store: RaceOptions["store"]): RaceName[] =>
  (Object.entries<RaceDefinition>(races) as [RaceName, RaceDefinition][])
    .filter(([, { needsServer }]) => !needsServer || store === "postgres")
    .map(([name]) => name);

/** `share` is the part of the full size. A race that throws has failed. */
export async function runRace(
  name: RaceName,
  options: RaceOptions,
  share = 1,
): Promise<RaceResult> {
  const { race, count }: RaceDefinition = races[name];
  try {
    return await race(options, Math.max(1, Math.round(count * share)));
  } catch (cause) {
    const why = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
    return { size: 0, figures: "broken off", problems: [why] };
  }
}
