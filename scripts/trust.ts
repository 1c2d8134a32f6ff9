// `npm run trust`: every test of tests/src/trust and every test that its lists name, and one line for each promise.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { faults } from "../tests/src/trust/faults.ts";
import { invariants } from "../tests/src/trust/invariants.ts";
import { knownFailures } from "../tests/src/trust/known-failures.ts";
import { type Evidence, type NamedTest, promiseStateOf } from "../tests/src/trust/promise.ts";
import { ensureConsoleBuild } from "./console-build.ts";
import { findResults, type TrustTestReport, type TrustTestResult, testResults } from "./trust-report.ts";

const root = join(import.meta.dirname, "..");
const folder = "tests/src/trust";
const rows = [
  ...knownFailures.map(({ id, ...row }) => ({ name: id, ...row })),
  ...invariants.map(({ id, ...row }) => ({ name: id, ...row })),
  ...faults.map(({ fault, ...row }, index) => ({ name: `fault ${index + 1}`, ...row, promise: fault })),
];

const own = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => `${folder}/${name}`);
const named = rows.flatMap(({ tests = [] }) => tests.map(([file]) => file));
const files = [...new Set([...own, ...named])].sort();

await ensureConsoleBuild(root, () => console.log("Building the console, which some of the tests look at."));
const reports = mkdtempSync(join(tmpdir(), "tollgate-trust-"));
const report = join(reports, "report.json");
try {
  const { status } = spawnSync(
    "vitest",
    ["run", ...files, "--reporter=dot", "--reporter=json", `--outputFile.json=${report}`],
    {
      cwd: root,
      stdio: "inherit",
      env: { ...process.env, PATH: join(root, "node_modules/.bin") + delimiter + process.env.PATH },
    },
  );
  const ran = existsSync(report) ? testResults(JSON.parse(readFileSync(report, "utf8")) as TrustTestReport, root) : [];
  const states = rows.map((row) => ({ row, state: stateOf(row, ran) }));
  for (const { row, state } of states) console.log(`${state.padEnd(15)} ${row.name.padEnd(9)} ${row.promise}`);
  const failed = states.filter(({ state }) => state === "FAIL" || state === "NOT RUN").length;
  console.log(`${states.length - failed} as docs/trust.md says, ${failed} not`);
  process.exitCode = status === 0 && failed === 0 ? 0 : 1;
} finally {
  rmSync(reports, { recursive: true, force: true });
}

function stateOf(row: Evidence, ran: readonly TrustTestResult[]): string {
  const found = (row.tests ?? []).map((test: NamedTest) => findResults(ran, test));
  if (found.some((one) => one.some(({ status }) => status === "failed"))) return "FAIL";
  // A test that was skipped on one database may have run on the other.
  if (found.some((one) => !one.some(({ status }) => status === "passed"))) return "NOT RUN";
  return promiseStateOf(row);
}
