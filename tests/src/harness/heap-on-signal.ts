// Loaded before a program (NODE_OPTIONS=--import=…), it collects its garbage and says what is left, whenever SIGUSR2 comes.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { isMainThread } from "node:worker_threads";

if (isMainThread) {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  process.on("SIGUSR2", () => {
    collect();
    // Finalizers of what went may hold on to more.
    setImmediate(() => {
      collect();
      const { heapUsed, external } = process.memoryUsage();
      const left = { kept: heapUsed + external, resources: process.getActiveResourcesInfo().length };
      process.stderr.write(`${JSON.stringify({ left })}\n`);
    });
  });
}
