// Lets one agent do its tasks through a gateway, and returns the results.
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type ChildProgram, startProgram } from "../../harness/child-process.ts";
import { startTestGateway, type TestGateway } from "../../harness/test-gateway.ts";
import type { ConversationEndpoint } from "../conversation-scenario.ts";
import {
  type ScriptedProvider,
  type ScriptedRequest,
  startScriptedProvider,
} from "../scripted-provider.ts";
import { type AgentSetup, type CodingAgent, fullConversation } from "./coding-agents.ts";
import {
  type AgentChatBody,
  after,
  before,
  beginReply,
  file,
  isAskedForSummary,
  type ModelManner,
  planReply,
  question,
  signature,
  summary,
  task,
} from "./scripted-agent-model.ts";

/** What an agent is driven to do, in the order of the page's columns. */
export const agentTasks = [
  "edits",
  "resumption",
  "interruption",
  "thinking",
  "compaction",
] as const;
export type AgentTask = (typeof agentTasks)[number];

/** `AgentRunResult` is one line of the page of conformance. */
export interface AgentRunResult {
  library: string;
  version: string;
  entry: ConversationEndpoint | "Responses over WebSocket";
  /**
   * Empty where the agent did it; otherwise what it printed. A task without a line was not tried.
   */
  failures: Partial<Record<AgentTask, string>>;
  /** Calls that the agent made, all billed. */
  calls: number;
  /** `date` is that of an agent that was driven on another day than the others. */
  date?: string;
}

/** The contents of `driven.json`. */
export interface RecordedAgentRuns {
  /** A day in UTC, `YYYY-MM-DD`. */
  date: string;
  results: AgentRunResult[];
}

/** Agents take seconds, on a busy machine minutes; one that waits for something else is ended. */
const agentMaxMs = 400_000;
const maxFailureChars = 300;
/** `readsWithinMs` are for the first words to reach an agent before it is interrupted. */
const readsWithinMs = 2_000;
const model = "brain-1";
/** Google's signatures go back to models of this name alone. */
const thinkingModel = "gemini-brain-1";
/** Full, for an agent that is told that a model reads 200,000 tokens. */
const fullPromptTokens = 190_000;
/** Nearly every agent asks a smaller model besides, by a name of its own. */
const models = [
  model,
  thinkingModel,
  "claude-haiku-4-5",
  "claude-haiku-4-5-20251001",
  "gemini-2.5-flash",
  "gemini-2.5-flash-lite",
];

interface AgentStage extends AgentSetup {
  agent: CodingAgent;
  upstream: ScriptedProvider;
  gateway: TestGateway;
  /** The folder whose `node_modules` have the agent, and the one that it works in. */
  installed: string;
  folder: string;
}

export async function runAgent(agent: CodingAgent, installed: string): Promise<AgentRunResult> {
  const { library, entry, isOverSocket = false } = agent;
  const upstream = await startScriptedProvider();
  const gateway = await startTestGateway({ upstreams: [upstream.url] });
  try {
    await gateway.given.channel({
      type: 50,
      key: "k",
      base_url: upstream.url,
      models: models.join(),
    });
    const { key } = await gateway.given.token();
    const shared = { agent, upstream, gateway, installed, url: gateway.url, key };
    const failures = await inNewPlace({ ...shared, model }, async (stage) => ({
      edits: await editFile(stage),
      resumption: await resume(stage),
      ...(!agent.ignoresSignals && { interruption: await interrupt(stage) }),
    }));
    if (!agent.keepsNoSignatures) {
      const thinking = await inNewPlace({ ...shared, model: thinkingModel }, think);
      Object.assign(failures, { thinking });
    }
    if (agent.compaction) {
      const compaction = await inNewPlace({ ...shared, model, compactsEarly: true }, compact);
      Object.assign(failures, { compaction });
    }
    const totals = await gateway.settled();
    const traces = await gateway.rows<{ data: string }>("select data from traces");
    const wentOverSocket = traces.every(
      ({ data }) => (JSON.parse(data) as { method: string }).method === "GET",
    );
    const path = join(installed, "node_modules", library, "package.json");
    const { version } = JSON.parse(await readFile(path, "utf8")) as { version: string };
    return {
      library,
      version,
      entry: isOverSocket && wentOverSocket ? "Responses over WebSocket" : entry,
      failures,
      calls: totals.succeeded,
    };
  } finally {
    await gateway.close();
    await upstream.close();
  }
}

/** A folder of its own to work in, and one that the agent takes for the user's. */
async function inNewPlace<Done>(
  shared: Omit<AgentStage, "folder" | "home">,
  use: (stage: AgentStage) => Promise<Done>,
): Promise<Done> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "tollgate-agent-")));
  const home = await mkdtemp(join(tmpdir(), "tollgate-home-"));
  try {
    const stage = { ...shared, folder, home };
    await stage.agent.prepare?.(stage);
    return await use(stage);
  } finally {
    await rm(folder, { recursive: true, force: true });
    await rm(home, { recursive: true, force: true });
  }
}

const planFor = ({ upstream, folder }: AgentStage, manner?: ModelManner): void =>
  upstream.setDefault((asked) => planReply(asked.body as AgentChatBody, folder, manner));

/** Reads a file and corrects it in two places. */
async function editFile(stage: AgentStage): Promise<string> {
  const path = join(stage.folder, file);
  await writeFile(path, before);
  planFor(stage);
  const output = await ended(start(stage, stage.agent.args(stage, task)));
  return (await readFile(path, "utf8")) === after ? "" : failure(output);
}

/** Goes on with the session: the model sees the first task and the results of its tools again. */
async function resume(stage: AgentStage): Promise<string> {
  stage.upstream.play();
  const output = await ended(start(stage, stage.agent.resumeArgs(stage, question)));
  const asked = stage.upstream.requests.find(({ body }) => JSON.stringify(body).includes(question));
  const seen = JSON.stringify(asked?.body ?? "");
  return seen.includes(task) && seen.includes('"role":"tool"') ? "" : failure(output);
}

/**
 * Is interrupted in the middle of an answer: the call at the provider ends and costs what came, and
 * a resumed session does the task.
 */
async function interrupt(stage: AgentStage): Promise<string> {
  const { upstream, gateway, agent, folder } = stage;
  const path = join(folder, file);
  await writeFile(path, before);
  upstream.play();
  const begun = Promise.withResolvers<ScriptedRequest>();
  upstream.setDefault((asked) => {
    const body = asked.body as AgentChatBody;
    if (!body.tools?.length || !body.stream) return planReply(body, folder);
    begun.resolve(asked);
    return beginReply(asked.closed);
  });
  const program = start(stage, agent.args(stage, task));
  const asked = await Promise.race([begun.promise, program.exited.then(() => undefined)]);
  if (!asked) return failure(await ended(program));
  await wait(readsWithinMs);
  program.kill("SIGINT");
  const output = await ended(program);
  await asked.closed;
  await gateway.settled();
  const left = await gateway.rows<{ quota: number }>(
    "select quota from logs where outcome = 'client_left'",
  );
  if (left.length !== 1 || left.some(({ quota }) => quota === 0))
    return failure(`not charged as left: ${output}`);
  planFor(stage);
  const resumed = await ended(start(stage, agent.resumeArgs(stage, task)));
  return (await readFile(path, "utf8")) === after ? "" : failure(resumed);
}

/**
 * The model thinks before each call and signs it; with the call's result the signature comes back.
 */
async function think(stage: AgentStage): Promise<string> {
  const path = join(stage.folder, file);
  await writeFile(path, before);
  planFor(stage, { thinks: true });
  stage.upstream.play();
  const output = await ended(start(stage, stage.agent.args(stage, task)));
  if ((await readFile(path, "utf8")) !== after) return failure(output);
  const sent = stage.upstream.requests.map(({ body }) =>
    JSON.stringify((body as AgentChatBody).messages),
  );
  return sent.some((messages) => messages.includes(signature))
    ? ""
    : failure(`no signature came back: ${output}`);
}

/** Has the model shorten its conversation, and goes on with what the model made of it. */
async function compact(stage: AgentStage): Promise<string> {
  const { agent, upstream, folder } = stage;
  await writeFile(join(folder, file), before);
  planFor(stage, agent.compaction === fullConversation ? { promptTokens: fullPromptTokens } : {});
  const first = await ended(start(stage, agent.args(stage, task)));
  upstream.play();
  planFor(stage);
  const told =
    agent.compaction === fullConversation
      ? ""
      : await ended(start(stage, agent.resumeArgs(stage, agent.compaction ?? "")));
  const output = await ended(start(stage, agent.resumeArgs(stage, question)));
  const bodies = upstream.requests.map(({ body }) => body as AgentChatBody);
  const asked = JSON.stringify(
    bodies.find((body) => JSON.stringify(body).includes(question) && !isAskedForSummary(body)) ??
      "",
  );
  const isShort = asked.includes(summary) && !asked.includes('"role":"tool"');
  return bodies.some(isAskedForSummary) && isShort ? "" : failure(`${first}\n${told}\n${output}`);
}

function start(
  { agent, installed, folder, home, ...setup }: AgentStage,
  args: string[],
): ChildProgram {
  const bin = join(installed, "node_modules", ".bin");
  return startProgram({
    file: join(bin, agent.program),
    args,
    cwd: folder,
    env: {
      PATH: `${bin}:${process.env.PATH}`,
      HOME: home,
      XDG_CONFIG_HOME: join(home, ".config"),
      TERM: "dumb",
      ...agent.env({ ...setup, home }),
    },
  });
}

/** `ended` gives what the program printed until its end. */
async function ended(program: ChildProgram): Promise<string> {
  const timer = setTimeout(() => program.kill("SIGKILL"), agentMaxMs);
  const { code, signal } = await program.exited;
  clearTimeout(timer);
  return `${program.output()}\nexit ${code ?? signal}`;
}

const failure = (output: string): string => output.slice(-maxFailureChars).trim();
