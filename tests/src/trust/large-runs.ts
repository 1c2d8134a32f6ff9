/**
 * The runs that are too long for `npm test`: each has its own command, and the page of trust
 * shows its last result.
 */
export interface LargeRun {
  /** The name in docs/assurance/trust-runs.json. */
  run: string;
  promise: string;
  command: string;
  goal: string;
  /** The goal in the unit of `RunRecord.size`; a smaller run has not reached it. */
  goalSize?: number;
}

const stores = [
  ["sqlite", "SQLite"],
  ["postgres", "PostgreSQL"],
] as const;

const races = [
  {
    part: "redeem",
    promise: "A hundred users race for each of 200 codes, and each code pays one of them",
    goal: "20,000 attempts",
    goalSize: 20_000,
  },
  {
    part: "overspend",
    promise:
      "However many calls race for an account, for tokens with limits, for budgets of tags, tokens and runs or for a team of twenty, exactly as many are served as can be paid",
    goal: "500 racers, nine times",
    goalSize: 4_500,
  },
  {
    part: "retries",
    promise: "Simultaneous calls that meet one to three failing channels are charged once each",
    goal: "1,000 calls",
    goalSize: 1_000,
  },
  {
    part: "leavers",
    promise:
      "When clients disconnect, the provider's calls end within a second (p99) and nothing stays occupied",
    goal: "1,000 clients",
    goalSize: 1_000,
  },
  {
    part: "restarts",
    promise:
      "However often the database server restarts, the same process answers within 5 s and charges every response",
    goal: "20 restarts",
    goalSize: 20,
  },
  {
    part: "stop",
    promise:
      "On SIGTERM streams of up to a minute reach their ends and are charged, the exit code is 0",
    goal: "200 streams",
    goalSize: 200,
  },
  {
    part: "accounting",
    promise:
      "Every response and log row of mixed calls belongs to its client, and the charge equals the provider's count",
    goal: "100,000 calls",
    goalSize: 100_000,
  },
] as const;

export const largeRuns: readonly LargeRun[] = [
  ...stores.map(([store, name]) => ({
    run: `model on ${store}`,
    promise: `All invariants hold after random stories on ${name}`,
    command: `npm run trust -- model --store ${store}`,
    goal: "10,000 stories",
    goalSize: 10_000,
  })),
  ...stores.map(([store, name]) => ({
    run: `crashes on ${store}`,
    promise: `kill -9 at any moment under load loses nothing on ${name}`,
    command: `npm run trust -- crash --store ${store}`,
    goal: "200 kills",
    goalSize: 200,
  })),
  ...stores.flatMap(([store, name]) =>
    races
      // SQLite has no server to restart.
      .filter(({ part }) => part !== "restarts" || store === "postgres")
      .map(({ part, promise, goal, goalSize }) => ({
        run: `races on ${store}: ${part}`,
        promise: `${promise}, on ${name}`,
        command: `npm run trust -- races --store ${store} --part ${part}`,
        goal,
        goalSize,
      })),
  ),
  ...stores.map(([store, name]) => ({
    run: `upgrade on ${store}`,
    promise: `What an earlier version wrote, this one goes on with, on ${name}: balances, keys, log and ledger to the unit`,
    command: `npm run trust -- upgrade --store ${store}`,
    goal: "41 calls",
    goalSize: 41,
  })),
  ...stores.map(([store, name]) => ({
    run: `operator on ${store}`,
    promise: `An operator's year on ${name}, from moving in to lost disks, keys and clocks, loses nothing that was backed up and charges nothing twice`,
    command: `npm run trust -- operator --store ${store}`,
    goal: "11 chapters",
    goalSize: 11,
  })),
  {
    run: "generated requests",
    promise:
      "No request of any kind crashes or hangs the gateway, or gets a response unlike the contract",
    command: "npm run trust -- fuzz",
    goal: "1,000,000 requests",
    goalSize: 1_000_000,
  },
  {
    run: "forged sign-ins",
    promise:
      "No forged id token, discovery document or claim of an identity provider signs a user in, or brings the gateway down",
    command: "npm run trust -- sign-ins",
    goal: "100,000 forgeries",
    goalSize: 100_000,
  },
  {
    run: "stream parser",
    promise:
      "Streams of every API format are read correctly wherever they are split, whatever is wrong with them, in constant memory",
    command: "npm run trust -- parser",
    goal: "10,000,000 cases",
    goalSize: 10_000_000,
  },
  ...stores.map(([store, name]) => ({
    run: `soak on ${store}`,
    promise: `Under long load on ${name} nothing leaks and nothing drifts`,
    command: `npm run trust -- soak --store ${store}`,
    goal: "24 hours",
    goalSize: 24 * 60,
  })),
  {
    run: "one busy account",
    promise:
      "One busy account does not slow the others down: 200 calls that end together are charged within 250 ms",
    command: "node benchmarks/src/settle-benchmark.ts",
    goal: "200 calls",
    goalSize: 200,
  },
  ...stores.map(([store, name]) => ({
    run: `killed migrations on ${store}`,
    promise: `The next start completes a killed migration of a large database on ${name}`,
    command: `npm run trust -- migrations --store ${store}`,
    goal: "200,000 rows",
    goalSize: 200_000,
  })),
  ...stores.map(([store, name]) => ({
    run: `large import on ${store}`,
    promise: `A large site of another gateway moves in to ${name} within 5 minutes and 300 MB, and is found again to the unit`,
    command: `npm run trust -- import --store ${store}`,
    goal: "1,000,000 log rows",
    goalSize: 1_000_000,
  })),
  {
    run: "mutants of the money modules",
    promise: "The tests of a module that computes or moves money notice a small mistake in it",
    command: "npm run trust -- mutants",
    goal: "98 of 100, every branch",
    goalSize: 98,
  },
  {
    run: "agents by recipe",
    promise:
      "Coding agents that are set up by the console's recipes alone read a file, run a command and edit over a channel of every dialect, and the log has the provider's count",
    command: "npm run trust -- agents",
    goal: "52 pairs of an agent and a dialect",
    goalSize: 52,
  },
  {
    run: "agents in trouble",
    promise:
      "The same agents do the same task when the provider limits one of their calls and breaks off another answer behind its words",
    command: "npm run trust -- agents --trouble once",
    goal: "52 pairs of an agent and a dialect",
    goalSize: 52,
  },
  {
    run: "agents out of context",
    promise:
      "The same agents shorten their conversation and finish, or say that it is too long, when the provider refuses it once for that",
    command: "npm run trust -- agents --trouble overflow",
    goal: "52 pairs of an agent and a dialect",
    goalSize: 52,
  },
  {
    run: "foreign clients",
    promise:
      "Libraries of Python and Go, official ones and frameworks, parse the same answers through the gateway as straight at a provider, and equivalent ones across formats",
    command: "npm run trust -- clients",
    goal: "194 pairs",
    goalSize: 96,
  },
  {
    run: "identity",
    promise:
      "Two identity servers of different makers, passkeys and a proxy sign users in and out, and programs of other makers operate the gateway with a management key",
    command: "npm run trust -- identity",
    goal: "every test",
  },
  {
    run: "judges of other makers",
    promise:
      "OpenTelemetry's collector, an S3 server of another maker, the FinOps Foundation's validator and Prometheus accept what the gateway sends; LiteLLM's own migrations make the tables that the import reads",
    command: "npm run trust -- judges",
    goal: "12 tests",
    goalSize: 12,
  },
  {
    run: "terraform",
    promise:
      "What the Terraform provider applies is what the gateway has: no plan after it, drift seen and undone, imports that plan nothing, secrets in no state",
    command: "npm run trust -- terraform",
    goal: "7 kinds of resources",
    goalSize: 7,
  },
  {
    run: "terraform itself",
    promise: "The same under HashiCorp's Terraform",
    command: "npm run trust -- terraform --program terraform",
    goal: "7 kinds of resources",
    goalSize: 7,
  },
  {
    run: "screens",
    promise:
      "Every page of the console is accessible, fits, and is reached by the keyboard at every width, in both themes and in forced colours",
    command: "npm run trust -- screens",
    goal: "every page",
  },
  {
    run: "eight tasks",
    promise:
      "Eight tasks of an operator's first week take few clicks, and hardly a step of them leads nowhere (tasks.md)",
    command: "npm run trust -- tasks",
    goal: "55 clicks, 4 stray steps",
    goalSize: 8,
  },
  {
    run: "injections",
    promise: "No script-injection payload runs in any place of the console, each tried separately",
    command: "npm run trust -- injections",
    goal: "500 payloads",
  },
];
