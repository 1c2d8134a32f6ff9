// Loaded before a program (NODE_OPTIONS=--import=…), it throws where nothing catches, whenever
// SIGUSR2 comes.
import { isMainThread } from "node:worker_threads";

if (isMainThread) {
  process.on("SIGUSR2", () => {
    setImmediate(() => {
      throw new Error("a bug that a test has asked for");
    });
  });
}
