/**
 * The CPU cost of a JSON call in one, two, three and four processes on one port, the server's time
 * of PostgreSQL not included. Fails when rows, charges and balance do not agree. Writes
 * docs/benchmarks.md.
 *
 *   node benchmarks/src/processes-benchmark.ts [--calls 3000] [--rounds 5]
 */
import { parseArgs } from "node:util";
import { freePort } from "../../tests/src/harness/free-port.ts";
import { startPostgresCluster } from "../../tests/src/harness/postgres-cluster.ts";
import { password, urlOf, withProcesses } from "./benchmark-processes.ts";
import { median, writeSection } from "./benchmark-report.ts";
import { callCosts, concurrency, type MeasuredServer, microsOf } from "./call-cost.ts";
import { type OperatorClient, signIn } from "./operator-client.ts";
import { treeMicros } from "./process-time.ts";

const { values: flags } = parseArgs({
  options: { calls: { type: "string", default: "3000" }, rounds: { type: "string", default: "5" } },
});
const calls = Number(flags.calls);
const rounds = Number(flags.rounds);
const counts = [1, 2, 3, 4];
/** Above the cost in one process. */
const dearerMax = 1.05;

const cluster = await startPostgresCluster({ fsync: true });
try {
  await withProcesses(async ({ start, startGateway }) => {
    const upstream = await start("benchmark-upstream.ts");
    const groups: (MeasuredServer & { operator: OperatorClient })[] = [];
    for (const count of counts) {
      const env = { DATABASE_URL: await cluster.createDatabase(), PORT: String(await freePort()) };
      const gateway = await startGateway(
        upstream,
        env,
        count === 1 ? [] : ["--processes", String(count)],
      );
      const operator = await signIn(urlOf(gateway), password);
      const key = await operator.prepare(urlOf(upstream));
      const name = `${count} ${count === 1 ? "process" : "processes"}`;
      const micros = () => [treeMicros(gateway.pid)];
      groups.push({
        name,
        url: urlOf(gateway),
        key,
        processes: count,
        micros,
        rest: operator.settled,
        operator,
      });
    }
    const before = await Promise.all(groups.map(({ operator }) => operator.totals()));
    const costs = await callCosts(groups, { calls, rounds, isStream: false });
    for (const [index, { name, operator }] of groups.entries()) {
      const [was, is] = [before[index], await operator.totals()];
      const { answered = 0 } = costs[index] ?? {};
      if (!was || is.rows - was.rows !== answered)
        throw new Error(`${name}: ${answered} answers have other log rows`);
      if (is.charged - was.charged !== was.balance - is.balance)
        throw new Error(`${name}: the charges differ from the change of the balance`);
    }
    const [one = []] = costs.map((cost) => microsOf(cost));
    const rows = groups.map(({ name }, index) => {
      const cost = costs[index];
      const micros = cost ? microsOf(cost) : [];
      return {
        name,
        micros: median(micros),
        ratio: median(micros.map((each, round) => each / (one[round] ?? 0))),
      };
    });
    for (const { name, micros, ratio } of rows)
      console.log(`${name}: ${micros.toFixed(0)} µs a call, ratio ${ratio.toFixed(2)}`);
    writeSection("Several processes on one port", [
      `CPU of all processes of a gateway per JSON call, on PostgreSQL without its server's own time: median of ${rounds} alternating rounds`,
      `in one run, with ${concurrency} calls at once and ${calls} in a round for each process, as one that has a core of its own would have.`,
      "Here they share two cores with the load, the upstream and PostgreSQL, so context switches between them are in the figures.",
      "",
      "| Gateway | CPU per call | Ratio to one process | Goal |",
      "|---|---|---|---|",
      ...rows.map(
        ({ name, micros, ratio }, index) =>
          `| ${name} | ${micros.toFixed(0)} µs | ${ratio.toFixed(2)} | ${index === 0 ? "" : `at most ${dearerMax}`} |`,
      ),
    ]);
  });
} finally {
  await cluster.stop();
}
