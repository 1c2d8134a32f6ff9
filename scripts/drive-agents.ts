// `node scripts/drive-agents.ts [folder]`: lets coding agents from the npm registry edit a file through the gateway, and
// records the results for docs/conformance.md. Without a folder of installed agents, it installs the newest ones.
import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { codingAgents } from "@tollgate/tests/conformance/agents/coding-agents.ts";
import { type AgentRunResult, runAgent } from "@tollgate/tests/conformance/agents/run-agent.ts";

const noted = join(import.meta.dirname, "..", "tests/src/conformance/agents/driven.json");
const [given] = process.argv.slice(2);

async function installed(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-agents-"));
  await writeFile(join(folder, "package.json"), '{ "name": "agents", "private": true }');
  const names = codingAgents.map(({ library }) => library);
  execFileSync("npm", ["install", "--no-audit", "--no-fund", ...names], { cwd: folder, stdio: "inherit" });
  return folder;
}

const folder = given ?? (await installed());
const driven: AgentRunResult[] = [];
for (const agent of codingAgents) {
  const one = await runAgent(agent, folder);
  console.log(`${one.library} ${one.version}: ${one.failure === "" ? `done in ${one.calls} calls` : one.failure}`);
  driven.push(one);
}
await writeFile(noted, `${JSON.stringify(driven, null, 2)}\n`);
if (given === undefined) await rm(folder, { recursive: true, force: true });
