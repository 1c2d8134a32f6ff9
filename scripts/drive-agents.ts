// Lets coding agents from the npm registry do their tasks through the gateway, and records the
// results for the page of conformance. Without a folder of installed agents, it installs the newest.
import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { codingAgents } from "@tollgate/tests/conformance/agents/coding-agents.ts";
import {
  type AgentRunResult,
  type RecordedAgentRuns,
  runAgent,
} from "@tollgate/tests/conformance/agents/run-agent.ts";
import { readScriptOptions } from "./script-options.ts";

const noted = join(import.meta.dirname, "..", "tests/src/conformance/agents/driven.json");
const { values: flags } = readScriptOptions({
  command: "node scripts/drive-agents.ts",
  summary: "drives coding agents and notes what they did",
  options: {
    folder: {
      ...{ type: "string", default: "", value: "FOLDER" },
      help: "where they are installed; without it they are installed anew, and removed",
    },
  },
});

async function installed(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-agents-"));
  await writeFile(join(folder, "package.json"), '{ "name": "agents", "private": true }');
  const names = codingAgents.map(({ library }) => library);
  execFileSync("npm", ["install", "--no-audit", "--no-fund", ...names], {
    cwd: folder,
    stdio: "inherit",
  });
  return folder;
}

const folder = flags.folder || (await installed());
const driven: AgentRunResult[] = [];
for (const agent of codingAgents) {
  const one = await runAgent(agent, folder);
  const failed = Object.entries(one.failures).filter(([, failure]) => failure !== "");
  const outcome =
    failed.map(([task, failure]) => `${task} failed: ${failure}`).join("; ") ||
    `done in ${one.calls} calls`;
  console.log(`${one.library} ${one.version}: ${outcome}`);
  driven.push(one);
}
const recorded: RecordedAgentRuns = {
  date: new Date().toISOString().slice(0, 10),
  results: driven,
};
await writeFile(noted, `${JSON.stringify(recorded, null, 2)}\n`);
if (flags.folder === "") await rm(folder, { recursive: true, force: true });
