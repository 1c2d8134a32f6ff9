// Lets one agent do the task through a gateway, and returns the result.
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startProgram } from "../../harness/child-process.ts";
import { startTestGateway } from "../../harness/test-gateway.ts";
import type { ConversationEndpoint } from "../conversation-scenario.ts";
import { startScriptedProvider } from "../scripted-provider.ts";
import type { CodingAgent } from "./coding-agents.ts";
import { type AgentChatBody, after, before, file, planReply, task } from "./scripted-agent-model.ts";

/** One line of docs/conformance.md. */
export interface AgentRunResult {
  library: string;
  version: string;
  entry: ConversationEndpoint | "Responses over WebSocket";
  /** Empty where the agent did its task. */
  failure: string;
  /** Calls that the agent made for it, all billed. */
  calls: number;
}

/** Agents take seconds; one that waits for something else is ended. */
const agentMaxMs = 120_000;
const maxFailureChars = 300;

/** `installed` is the folder whose node_modules have the agent. */
export async function runAgent(agent: CodingAgent, installed: string): Promise<AgentRunResult> {
  const { library, entry, isOverSocket = false } = agent;
  const folder = await realpath(await mkdtemp(join(tmpdir(), "tollgate-agent-")));
  const home = await mkdtemp(join(tmpdir(), "tollgate-home-"));
  const upstream = await startScriptedProvider();
  const gateway = await startTestGateway({ upstreams: [upstream.url] });
  try {
    await writeFile(join(folder, file), before);
    const model = "brain-1";
    // Nearly every agent asks a smaller model besides, by a name of its own.
    upstream.setDefault((request) => planReply(request.body as AgentChatBody, folder));
    const models = [
      model,
      "claude-haiku-4-5",
      "claude-haiku-4-5-20251001",
      "gemini-2.5-flash",
      "gemini-2.5-flash-lite",
    ];
    await gateway.given.channel({ type: 50, key: "k", base_url: upstream.url, models: models.join() });
    const setup = { url: gateway.url, key: (await gateway.given.token()).key, model, home };
    await agent.prepare?.(setup);
    const output = await runProgram(agent.args(setup, task), agent.env(setup), { agent, installed, folder, home });
    const isDone = (await readFile(join(folder, file), "utf8")) === after;
    const totals = await gateway.settled();
    const traces = await gateway.rows<{ data: string }>("select data from traces");
    const wentOverSocket = traces.every(({ data }) => (JSON.parse(data) as { method: string }).method === "GET");
    const path = join(installed, "node_modules", library, "package.json");
    const { version } = JSON.parse(await readFile(path, "utf8")) as { version: string };
    return {
      library,
      version,
      entry: isOverSocket && wentOverSocket ? "Responses over WebSocket" : entry,
      failure: isDone ? "" : output.slice(-maxFailureChars).trim(),
      calls: totals.succeeded,
    };
  } finally {
    await gateway.close();
    await upstream.close();
    await rm(folder, { recursive: true, force: true });
    await rm(home, { recursive: true, force: true });
  }
}

interface AgentRunOptions {
  agent: CodingAgent;
  installed: string;
  folder: string;
  home: string;
}

async function runProgram(
  args: string[],
  env: Record<string, string>,
  { agent, installed, folder, home }: AgentRunOptions,
): Promise<string> {
  const bin = join(installed, "node_modules", ".bin");
  const program = startProgram({
    file: join(bin, agent.program),
    args,
    cwd: folder,
    env: {
      PATH: `${bin}:${process.env.PATH}`,
      HOME: home,
      XDG_CONFIG_HOME: join(home, ".config"),
      TERM: "dumb",
      ...env,
    },
  });
  const timer = setTimeout(() => program.kill("SIGKILL"), agentMaxMs);
  const { code, signal } = await program.exited;
  clearTimeout(timer);
  return `${program.output()}\nexit ${code ?? signal}`;
}
