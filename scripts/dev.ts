// `npm run dev`: gateway, console and simulated provider. The gateway restarts and the console
// reloads on a change; the data stays in .cache/dev until `npm run dev -- --fresh`.
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startChildProcesses } from "./child-processes.ts";
import { makeSampleCalls, testSampleChannels } from "./sample-calls.ts";
import { samplePassword } from "./sample-site.ts";
import { readScriptOptions } from "./script-options.ts";
import type { SampleSite } from "./write-sample-site.ts";

const usualSimulatorPort = "3900";
const { values: flags } = readScriptOptions({
  command: "npm run dev",
  summary:
    "gateway, console and simulated provider with reload on change; data stays in .cache/dev",
  options: {
    fresh: { type: "boolean", help: "writes the sample data anew" },
    "gateway-port": { type: "string", default: "3000", value: "PORT", help: "of the gateway" },
    "console-port": { type: "string", default: "5173", value: "PORT", help: "of the console" },
    "simulator-port": {
      type: "string",
      default: usualSimulatorPort,
      value: "PORT",
      help: "of the provider",
    },
  },
});

const root = join(import.meta.dirname, "..");
// The sample channels store the simulator's address, so each address has its own data.
const suffix = flags["simulator-port"] === usualSimulatorPort ? "" : `-${flags["simulator-port"]}`;
const folder = `.cache/dev${suffix}`;
const dataDir = join(root, folder);
const gateway = `http://localhost:${flags["gateway-port"]}`;
const page = `http://localhost:${flags["console-port"]}`;
const simulator = `http://127.0.0.1:${flags["simulator-port"]}`;
const readyWithinMs = 20_000;

const children = startChildProcesses();
try {
  const sample = await prepareData();
  start();
  const isReady = await Promise.race([
    answers(`${gateway}/readyz`),
    children.ended.then(() => false),
  ]);
  if (isReady) {
    if (sample) {
      await Promise.all([makeSampleCalls(gateway, sample.keys), testSampleChannels(gateway)]);
    }
    console.log(welcome());
  }
  const reason = await children.ended;
  if (reason) console.error(reason);
  process.exitCode = reason ? 1 : 0;
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
await children.stop();
process.exit();

async function prepareData(): Promise<SampleSite | undefined> {
  if (flags.fresh) rmSync(dataDir, { recursive: true, force: true });
  if (existsSync(join(dataDir, "tollgate.db"))) return undefined;
  console.log("Writing sample data.");
  try {
    // Loads the whole gateway, which a question for help does without.
    const { writeSampleSite } = await import("./write-sample-site.ts");
    return await writeSampleSite(dataDir, simulator);
  } catch (error) {
    // The next start would take an incomplete site for a complete one.
    rmSync(dataDir, { recursive: true, force: true });
    throw error;
  }
}

function start(): void {
  children.start({
    name: "simulator",
    args: [join(root, "simulator/src/simulator-main.ts"), "--port", flags["simulator-port"]],
    isNoise: (line) => line.startsWith('{"port":'),
  });
  const watched = ["gateway/src", "contract/src"].map(
    (folder) => `--watch-path=${join(root, folder)}`,
  );
  // Under --watch Node makes worker threads report their imports through their message port, which
  // is the storage's.
  const quietWorkers = "--import=data:text/javascript,delete process.env.WATCH_REPORT_DEPENDENCIES";
  children.start({
    name: "gateway",
    args: [
      ...watched,
      "--watch-preserve-output",
      quietWorkers,
      join(root, "gateway/src/start/main.ts"),
      "serve",
    ],
    env: {
      HOST: "127.0.0.1",
      PORT: flags["gateway-port"],
      DATA_DIR: dataDir,
      // A database that the environment names is not for development.
      DATABASE_URL: "",
      SQL_DSN: "",
      INITIAL_ROOT_PASSWORD: samplePassword,
      UPSTREAM_PRIVATE_HOSTS: new URL(simulator).host,
      // A restart should not wait for streams.
      SHUTDOWN_GRACE_SECONDS: "1",
    },
  });
  children.start({
    name: "console",
    args: [
      join(root, "node_modules/vite/bin/vite.js"),
      "--port",
      flags["console-port"],
      "--strictPort",
    ],
    cwd: join(root, "console"),
    env: { GATEWAY_URL: gateway },
  });
}

async function answers(url: string): Promise<boolean> {
  const giveUpAt = performance.now() + readyWithinMs;
  while (performance.now() < giveUpAt) {
    const isThere = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isThere) return true;
    await pause(200);
  }
  return false;
}

function welcome(): string {
  return `
  Console (reloads):  ${page}
  Gateway (restarts): ${gateway}
  Simulated provider: ${simulator}
  Sign in:            root / ${samplePassword}
  Data:               ${folder}, made anew by npm run dev -- --fresh
`;
}
