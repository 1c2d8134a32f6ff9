// Loaded before a program (NODE_OPTIONS=--import=…), it collects its garbage and says what is left, whenever SIGUSR2 comes.
import { isMainThread } from "node:worker_threads";
import { collectGarbage } from "./collect-garbage.ts";

if (isMainThread) {
  process.on("SIGUSR2", () => {
    collectGarbage();
    // Finalizers of what went may hold on to more.
    setImmediate(() => {
      collectGarbage();
      const { heapUsed, external } = process.memoryUsage();
      const left = { kept: heapUsed + external, resources: process.getActiveResourcesInfo().length };
      process.stderr.write(`${JSON.stringify({ left })}\n`);
    });
  });
}
