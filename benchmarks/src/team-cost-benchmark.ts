/**
 * The CPU cost of a call that a team pays, with a budget of the team and a cap of its member, as a
 * ratio to a call with as many budgets of a user and a key. Both go to the same process in turns,
 * so that nothing but the call differs. Writes docs/benchmarks.md; exits with 1 where a ratio is
 * above its goal.
 */
import { loadavg } from "node:os";
import { unitsPerDollar } from "@tollgate/gateway/money/prices/price.ts";
import { readScriptOptions } from "../../scripts/script-options.ts";
import { startPostgresCluster } from "../../tests/src/harness/postgres-cluster.ts";
import { password, urlOf, withProcesses } from "./benchmark-processes.ts";
import { writeSection } from "./benchmark-report.ts";
import { callCosts, concurrency, type MeasuredServer, microsOf } from "./call-cost.ts";
import { type OperatorClient, signIn } from "./operator-client.ts";
import { computePairedRatio } from "./paired-ratio.ts";
import { cpuMicros } from "./process-time.ts";

const { values: flags } = readScriptOptions({
  command: "node benchmarks/src/team-cost-benchmark.ts",
  summary: "the processor time of a team's call, written to docs/benchmarks.md",
  options: {
    calls: { type: "string", default: "3000", value: "N", help: "of each round" },
    streams: { type: "string", default: "1000", value: "N", help: "of each round" },
    rounds: { type: "string", default: "15", value: "N", help: "of which the median counts" },
    dialect: { type: "string", default: "sqlite", value: "NAME", help: "sqlite or postgres" },
  },
});
const isPostgres = flags.dialect === "postgres";
const rounds = Number(flags.rounds);
const shapes = [
  { what: "JSON", calls: Number(flags.calls), isStream: false, goal: 1.05 },
  { what: "stream of 50 events", calls: Number(flags.streams), isStream: true, goal: 1.1 },
];
/** More than a run can spend. */
const amount = 1_000_000 * unitsPerDollar;
const monthly = { window: "month", amount } as const;

const addBudget = (operator: OperatorClient, subject: string, subject_id: number) =>
  operator.call("POST", "/api/budget/", { name: subject, subject, subject_id, ...monthly });

/** Returns the key of a team whose wallet, budget and cap each call of it passes. */
async function addTeamKey(operator: OperatorClient): Promise<string> {
  const { id } = await operator.call<{ id: number }>("POST", "/api/team/", { name: "measured" });
  const path = `/api/team/${id}`;
  await operator.call("POST", `${path}/transfer`, { source: "issuance", amount });
  await addBudget(operator, "team", id);
  await operator.call("POST", `${path}/cap`, { name: "each", ...monthly });
  const token = { name: "measured", unlimited_quota: true };
  const { key } = await operator.call<{ key: string }>("POST", `${path}/token`, token);
  return key;
}

const cluster = isPostgres ? await startPostgresCluster({ fsync: true }) : undefined;
try {
  await withProcesses(async ({ start, startGateway }) => {
    const upstream = await start("benchmark-upstream.ts");
    const env = cluster ? { DATABASE_URL: await cluster.createDatabase() } : undefined;
    const gateway = await startGateway(upstream, env);
    const operator = await signIn(urlOf(gateway), password);
    const own = await operator.prepare(urlOf(upstream));
    const { id: userId } = await operator.call<{ id: number }>("GET", "/api/user/self");
    const [token] = await operator.call<{ id: number }[]>("GET", "/api/token/");
    await addBudget(operator, "user", userId);
    await addBudget(operator, "token", token?.id ?? 0);
    const ofTeam = await addTeamKey(operator);
    const servers = [own, ofTeam].map(
      (key, place): MeasuredServer => ({
        name: place === 0 ? "budgets of user and key" : "budgets of team and member",
        url: urlOf(gateway),
        key,
        micros: () => [cpuMicros(gateway.pid)],
        rest: operator.settled,
      }),
    );
    const [load = 0] = loadavg();
    const rows: string[] = [];
    for (const { what, goal, ...shape } of shapes) {
      const [ofUser, ofMember] = await callCosts(servers, { ...shape, rounds });
      if (!ofUser || !ofMember) throw new Error("two keys were measured");
      const ratio = computePairedRatio(microsOf(ofMember), microsOf(ofUser));
      const figures = `${ratio.median.toFixed(3)} | ${ratio.upper.toFixed(3)} | at most ${goal}`;
      console.log(`${what}: ${figures}`);
      rows.push(`| ${what} | ${figures} |`);
      if (!isPostgres && ratio.median > goal) process.exitCode = 1;
    }
    const budgets = await operator.call<{ name: string; spent: number }[]>("GET", "/api/budget/");
    const idle = budgets.filter(({ spent }) => spent === 0).map(({ name }) => name);
    if (budgets.length !== 4 || idle.length > 0)
      throw new Error(`of ${budgets.length} budgets these counted nothing: ${idle.join(", ")}`);
    writeSection(`A team's call on ${isPostgres ? "PostgreSQL" : "SQLite"}`, [
      `CPU of the gateway per call of a team's key with a budget of the team and a cap of its member, as a ratio to a key with budgets of`,
      `its user and itself: the same process, ${rounds} alternating rounds at concurrency ${concurrency}; load average ${load.toFixed(1)} before.`,
      "",
      "| Call | Median | Upper 95 % bound | Goal on SQLite |",
      "|---|---|---|---|",
      ...rows,
    ]);
  });
} finally {
  await cluster?.stop();
}
