// `npm run trust:injections`: every payload in every place of the console, by itself where it is shown as markup. `npm test`
// tries them all too, but many at a time.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { parseArgs } from "node:util";
import { injections } from "../tests/src/trust/injections.ts";
import { recordRun } from "../tests/src/trust/runs/run-record.ts";
import { ensureConsoleBuild } from "./console-build.ts";
import { type TrustTestReport, testResults } from "./trust-report.ts";

const { values: flags } = parseArgs({
  options: {
    /** Nothing is written down. */
    try: { type: "boolean", default: false },
  },
});
const root = join(import.meta.dirname, "..");
const journeys = ["rich-text-injections", "text-injections", "chosen-names"].map(
  (name) => `tests/src/trust/${name}.journey.test.ts`,
);

await ensureConsoleBuild(root, () => console.log("Building the console."));
const folder = mkdtempSync(join(tmpdir(), "tollgate-injections-"));
const report = join(folder, "report.json");
try {
  const reporters = ["--reporter=verbose", "--reporter=json", `--outputFile.json=${report}`];
  const { status } = spawnSync("vitest", ["run", "--project", "journeys", ...journeys, ...reporters], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, INJECTIONS: "full", PATH: join(root, "node_modules/.bin") + delimiter + process.env.PATH },
  });
  const ran = testResults(JSON.parse(readFileSync(report, "utf8")) as TrustTestReport, root);
  const failed = ran.filter((test) => test.status === "failed").length;
  const passed = status === 0 && failed === 0;
  const figures = `${injections.length} payloads in ${ran.length} tests of Chromium, ${failed} of them failed`;
  if (flags.try) console.log(figures);
  else recordRun({ run: "injections", size: injections.length, passed, figures });
  process.exitCode = passed ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
