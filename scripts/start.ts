// `npm start`: builds the console when it is missing or stale, then runs the gateway in this terminal.
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { join } from "node:path";
import { ensureConsoleBuild } from "./console-build.ts";
import { gatewayEnvironment, gatewayFlags } from "./gateway-node-options.ts";

const root = join(import.meta.dirname, "..");
const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** Ctrl-C arrives twice, from the terminal and from npm; the gateway would take the second one for "stop at once". */
const sameStopMs = 1_000;

try {
  await ensureConsoleBuild(root, () => console.log("Building the console, this takes a few seconds."));
  process.exitCode = await serve();
} catch (error) {
  console.error(`tollgate: ${(error as Error).message}`);
  process.exitCode = 1;
}

/** Resolves to the gateway's exit code. */
async function serve(): Promise<number> {
  const child = spawn(process.execPath, [...gatewayFlags, join(root, "gateway/src/main.ts"), "serve"], {
    stdio: "inherit",
    env: {
      ...gatewayEnvironment,
      // A terminal shows the address and errors; collected output contains the whole log.
      ...(process.stdout.isTTY && { LOG_LEVEL: "warn" }),
      ...process.env,
    },
    // A process group of its own, so that each signal arrives once, from this process.
    detached: true,
  });
  let passedAt = Number.NEGATIVE_INFINITY;
  for (const signal of stopSignals) {
    process.on(signal, () => {
      if (performance.now() - passedAt < sameStopMs) return;
      passedAt = performance.now();
      child.kill(signal === "SIGHUP" ? "SIGTERM" : signal);
    });
  }
  process.once("exit", () => child.kill("SIGKILL"));
  return await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
}
