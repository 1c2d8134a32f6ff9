// Loaded before a program (NODE_OPTIONS=--import=…), it collects garbage and prints the heap left
// on each SIGUSR2.
import { isMainThread } from "node:worker_threads";
import { collectGarbage } from "./collect-garbage.ts";

if (isMainThread) {
  process.on("SIGUSR2", () => {
    collectGarbage();
    // Finalizers of what went may hold on to more.
    setImmediate(() => {
      collectGarbage();
      const { heapUsed, external } = process.memoryUsage();
      const left = {
        kept: heapUsed + external,
        resources: process.getActiveResourcesInfo().length,
      };
      process.stderr.write(`${JSON.stringify({ left })}\n`);
    });
  });
}
