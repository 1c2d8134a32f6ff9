/** What is too long for every day: each has a command of its own, and the page shows what it found last. */
export interface LargeRun {
  /** As `recordRun` names it. */
  run: string;
  promise: string;
  command: string;
  goal: string;
  /** The goal as `recordRun` counts sizes; what is smaller has not reached it. */
  goalSize?: number;
}

const stores = [
  ["sqlite", "SQLite"],
  ["postgres", "PostgreSQL"],
] as const;

export const largeRuns: readonly LargeRun[] = [
  ...stores.map(([store, name]) => ({
    run: `model on ${store}`,
    promise: `All invariants hold after random stories on ${name}`,
    command: `npm run trust:model -- --store ${store}`,
    goal: "10,000 stories",
    goalSize: 10_000,
  })),
  ...stores.map(([store, name]) => ({
    run: `crashes on ${store}`,
    promise: `kill -9 at any moment under load loses nothing on ${name}`,
    command: `npm run trust:crash -- --store ${store}`,
    goal: "200 kills",
    goalSize: 200,
  })),
  {
    run: "generated requests",
    promise: "No request of whatever kind crashes or hangs the gateway, or is answered unlike the contract",
    command: "npm run trust:fuzz",
    goal: "1,000,000 requests",
    goalSize: 1_000_000,
  },
  ...stores.map(([store, name]) => ({
    run: `soak on ${store}`,
    promise: `Under lasting load on ${name} nothing leaks and nothing drifts`,
    command: `npm run trust:soak -- --store ${store}`,
    goal: "24 hours",
    goalSize: 24 * 60,
  })),
  {
    run: "one busy account",
    promise: "One busy account does not slow the others down: 200 calls that end together are charged within 250 ms",
    command: "node benchmarks/src/settle.ts",
    goal: "200 calls",
    goalSize: 200,
  },
  ...stores.map(([store, name]) => ({
    run: `killed migrations on ${store}`,
    promise: `A migration of a large database on ${name} that was killed is completed by the next start`,
    command: `npm run trust:migrations -- --store ${store}`,
    goal: "200,000 rows",
    goalSize: 200_000,
  })),
  {
    run: "injections",
    promise: "No script-injection payload runs in any place of the console, each tried by itself",
    command: "npm run trust:injections",
    goal: "500 payloads",
  },
];
