// `npm run trust:injections`: every payload in every place of the console, by itself where it is shown as markup. `npm test`
// tries them all too, but many at a time.
import { parseArgs } from "node:util";
import { injections } from "../tests/src/trust/injections.ts";
import { recordRun } from "../tests/src/trust/runs/run-record.ts";
import { runVitest } from "./trust-vitest.ts";

const { values: flags } = parseArgs({
  options: {
    /** Nothing is written down. */
    try: { type: "boolean", default: false },
  },
});
const journeys = ["rich-text-injections", "text-injections", "chosen-names"].map(
  (name) => `tests/src/trust/${name}.journey.test.ts`,
);
const { isGood, results } = await runVitest(["--project", "journeys", ...journeys], { INJECTIONS: "full" });
const failed = results.filter((test) => test.status === "failed").length;
const passed = isGood && failed === 0;
const figures = `${injections.length} payloads in ${results.length} tests of Chromium, ${failed} of them failed`;
if (flags.try) console.log(figures);
else recordRun({ run: "injections", size: injections.length, passed, figures });
process.exitCode = passed ? 0 : 1;
