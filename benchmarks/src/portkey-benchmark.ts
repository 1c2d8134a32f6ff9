/**
 * The CPU cost of a JSON call here, with everything logged and charged, beside Portkey's published
 * gateway, which forwards without keys, logs or charges of its own. Installs that package into a
 * temporary folder, and writes docs/benchmarks.md.
 *
 *   node benchmarks/src/portkey-benchmark.ts [--calls 3000] [--rounds 5]
 */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { freePort } from "../../tests/src/harness/free-port.ts";
import { password, type StartedProcess, urlOf, withProcesses } from "./benchmark-processes.ts";
import { median, writeSection } from "./benchmark-report.ts";
import { type CallCosts, callCosts, concurrency, microsOf } from "./call-cost.ts";
import { signIn } from "./operator-client.ts";
import { cpuMicros } from "./process-time.ts";

const { values: flags } = parseArgs({
  options: { calls: { type: "string", default: "3000" }, rounds: { type: "string", default: "5" } },
});
const calls = Number(flags.calls);
const rounds = Number(flags.rounds);
const portkey = "@portkey-ai/gateway@1.15.2";
const goal = "at most 0.33, aim 0.25";

const folder = mkdtempSync(join(tmpdir(), "tollgate-bench-portkey-"));
try {
  await promisify(execFile)("npm", [
    "install",
    "--ignore-scripts",
    "--no-save",
    "--prefix",
    folder,
    portkey,
  ]);
  await withProcesses(async ({ start, startGateway }) => {
    const upstream = await start("benchmark-upstream.ts");
    const bare = await start("bare-proxy.ts", [urlOf(upstream)]);
    const other = await startPortkey(start);
    const gateway = await startGateway(upstream);
    const operator = await signIn(urlOf(gateway), password);
    const key = await operator.prepare(urlOf(upstream));
    const server = (name: string, { port, pid }: StartedProcess) => ({
      name,
      key,
      url: `http://127.0.0.1:${port}`,
      micros: () => [cpuMicros(pid)],
    });
    const [base, forwarded, accounted] = await callCosts(
      [
        server("the bare proxy", bare),
        {
          ...server("Portkey", other),
          headers: {
            "x-portkey-provider": "openai",
            "x-portkey-custom-host": `${urlOf(upstream)}/v1`,
          },
        },
        { ...server("Tollgate", gateway), rest: operator.settled },
      ],
      { calls, rounds, isStream: false },
    );
    if (base && forwarded && accounted) report(base, forwarded, accounted);
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function startPortkey(
  start: (file: string, args: readonly string[]) => Promise<StartedProcess>,
) {
  const port = await freePort();
  const program = join(folder, "node_modules/@portkey-ai/gateway/build/start-server.js");
  return await start("portkey-server.ts", [program, String(port)]);
}

function report(base: CallCosts, forwarded: CallCosts, accounted: CallCosts): void {
  const bare = microsOf(base);
  const rows = [
    { what: "the bare proxy", micros: bare },
    { what: `${portkey}, forwarding alone`, micros: microsOf(forwarded) },
    { what: "Tollgate, everything logged and charged", micros: microsOf(accounted) },
  ];
  const share = median(
    microsOf(accounted).map((cost, round) => cost / (microsOf(forwarded)[round] ?? 0)),
  );
  console.log(`Tollgate takes ${share.toFixed(2)} of Portkey's processor time (${goal})`);
  writeSection("Beside Portkey", [
    `CPU per JSON call at concurrency ${concurrency}, median of ${rounds} alternating rounds of ${calls} calls in one run. Portkey's gateway has no keys, logs`,
    `or charges in this form. Tollgate takes ${share.toFixed(2)} of its processor time (goal: ${goal}).`,
    "",
    "| Server | CPU per call | Ratio to the bare proxy |",
    "|---|---|---|",
    ...rows.map(
      ({ what, micros }) =>
        `| ${what} | ${median(micros).toFixed(0)} µs | ${median(micros.map((cost, round) => cost / (bare[round] ?? 0))).toFixed(2)} |`,
    ),
  ]);
}
