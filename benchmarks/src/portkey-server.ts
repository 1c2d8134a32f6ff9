/**
 * Runs Portkey's gateway in this process and prints its port as the other programs of a benchmark
 * do.
 */
import { setTimeout as wait } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const [program = "", port = ""] = process.argv.slice(2);
/** It reads its port from the arguments, and would open a page in a browser. */
process.argv = [process.execPath, program, `--port=${port}`, "--headless"];
const startMaxMs = 30_000;
const askEveryMs = 100;

await import(pathToFileURL(program).href);
const endsAt = Date.now() + startMaxMs;
while (!(await answers())) {
  if (Date.now() > endsAt) throw new Error(`${program} does not answer at port ${port}`);
  await wait(askEveryMs);
}
console.log(JSON.stringify({ port: Number(port) }));

function answers(): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  );
}
