// `node scripts/drive-agents.ts [folder]`: lets coding agents from the npm registry do their tasks
// through the gateway, and records the results for the page of conformance. Without a folder of
// installed agents, it installs the newest ones.
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

const noted = join(import.meta.dirname, "..", "tests/src/conformance/agents/driven.json");
const [given] = process.argv.slice(2);

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

const folder = given ?? (await installed());
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
if (given === undefined) await rm(folder, { recursive: true, force: true });
