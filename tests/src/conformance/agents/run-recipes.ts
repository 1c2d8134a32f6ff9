// Plays the console's recipes: each agent does its task over a channel of each dialect, and the log
// is compared with the provider's count.
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { listSnippets } from "../../../../console/src/components/use-key/client-snippets.ts";
import { startProgram } from "../../harness/child-process.ts";
import { startTestGateway } from "../../harness/test-gateway.ts";
import { startScriptedProvider } from "../scripted-provider.ts";
import { type AgentDialect, readTurn, writeAnswer } from "./agent-dialects.ts";
import { type AgentRecipe, agentRecipes } from "./agent-recipes.ts";
import { type AgentTrouble, createTroubles } from "./agent-troubles.ts";
import {
  editTask,
  planWork,
  proofFile,
  rightText,
  workFile,
  workTask,
  wrongText,
} from "./agent-work.ts";

/** `RecipeOutcome` is one agent over a channel of one dialect. */
export interface RecipeOutcome {
  agent: string;
  dialect: AgentDialect;
  /**
   * Empty where the task is done and every token agrees; otherwise what is wrong, with the end of
   * what the agent printed.
   */
  failure: string;
  calls: number;
}

/** `InstalledAgents` are where the agents are installed. */
export interface InstalledAgents {
  /** Folders with their programs. */
  bins: readonly string[];
}

const channels: Readonly<Record<AgentDialect, Record<string, unknown>>> = {
  chat: { type: 50 },
  responses: { type: 50, config: JSON.stringify({ api_format: "response" }) },
  messages: { type: 14 },
  gemini: { type: 24 },
};

/** Agents ask smaller models besides, by names of their own. */
const sideModels = [
  ...["claude-haiku-4-5", "claude-haiku-4-5-20251001", "gemini-2.5-flash", "gemini-2.5-flash-lite"],
  ...["gemini-3-flash-preview", "gemini-3.1-flash-lite-preview"],
];
const agentMaxMs = 180_000;
const maxFailureChars = 600;
const limits = { context: 200_000, output: 32_000 };

export async function playRecipes(
  dialect: AgentDialect,
  installed: InstalledAgents,
  chosen: readonly AgentRecipe[] = agentRecipes,
  onOutcome: (outcome: RecipeOutcome) => void = () => undefined,
  trouble: AgentTrouble = "none",
): Promise<RecipeOutcome[]> {
  const provider = await startScriptedProvider();
  const gateway = await startTestGateway({ upstreams: [provider.url] });
  const outcomes: RecipeOutcome[] = [];
  try {
    const models = [...new Set([...agentRecipes.map(({ model }) => model), ...sideModels])].join();
    await gateway.given.channel({ ...channels[dialect], key: "k", base_url: provider.url, models });
    for (const recipe of chosen) {
      const { id, key } = await gateway.given.token();
      const counted = { prompt: 0, completion: 0, calls: 0 };
      const troubles = createTroubles[trouble](dialect);
      let asked = 0;
      const folder = await realpath(await mkdtemp(join(tmpdir(), "tollgate-agent-")));
      provider.setDefault(({ url, body }) => {
        const turn = readTurn(url, body);
        if (!turn)
          return {
            status: 404,
            headers: {},
            bytes: Buffer.from('{"error":{"message":"no such address"}}'),
          };
        asked += 1;
        const usage = { prompt: 1_000 + asked, cached: 100, completion: 20 };
        const planned = planWork(turn, folder);
        const answer = writeAnswer(turn, planned, usage, asked);
        const { reply, isCounted } = troubles(turn, planned, answer);
        if (isCounted) {
          counted.calls += 1;
          counted.prompt += usage.prompt;
          counted.completion += usage.completion;
        }
        return reply;
      });
      const { problems: found, output } = await runRecipe(
        recipe,
        gateway.url,
        key,
        folder,
        installed,
      );
      const saidSo = trouble === "overflow" && recipe.saysTooLong?.test(output) === true;
      const problems = saidSo ? [] : found;
      await gateway.settled();
      const rows = await gateway.rows<{ prompt_tokens: number; completion_tokens: number }>(
        `select prompt_tokens, completion_tokens from logs where type = 2 and outcome = 'success' and token_id = ${id}`,
      );
      const sum = (member: "prompt_tokens" | "completion_tokens"): number =>
        rows.reduce((total, row) => total + Number(row[member]), 0);
      const logged = {
        prompt: sum("prompt_tokens"),
        completion: sum("completion_tokens"),
        calls: rows.length,
      };
      if (JSON.stringify(logged) !== JSON.stringify(counted))
        problems.unshift(`logged ${JSON.stringify(logged)}, counted ${JSON.stringify(counted)}`);
      await rm(folder, { recursive: true, force: true });
      const outcome = {
        agent: recipe.name,
        dialect,
        failure: problems.join("; "),
        calls: counted.calls,
      };
      outcomes.push(outcome);
      onOutcome(outcome);
    }
  } finally {
    await gateway.close();
    await provider.close();
  }
  return outcomes;
}

/**
 * The agent does its task at this address: what is wrong afterwards, empty where all is done, and
 * what it printed.
 */
export async function runRecipe(
  recipe: AgentRecipe,
  url: string,
  key: string,
  folder: string,
  { bins }: InstalledAgents,
  /** What is changed in the recipe, for a server that cannot do all of what it says. */
  adapt = (text: string): string => text,
): Promise<{ problems: string[]; output: string }> {
  const home = await mkdtemp(join(tmpdir(), "tollgate-home-"));
  await writeFile(join(folder, workFile), wrongText);
  const script: string[] = [];
  for (const snippet of listSnippets(recipe.client, {
    origin: url,
    key,
    model: recipe.model,
    limits,
  })) {
    if (!("text" in snippet)) continue;
    if (snippet.place === "Terminal") script.push(headlessScript(recipe, snippet.text));
    else await place(snippet.place, adapt(snippet.text), folder, home);
  }
  const program = startProgram({
    file: "/bin/sh",
    args: ["-c", script.join("\n")],
    cwd: folder,
    env: {
      PATH: [...bins, process.env.PATH].join(":"),
      HOME: home,
      XDG_CONFIG_HOME: join(home, ".config"),
      TERM: "dumb",
      NO_COLOR: "1",
      ...recipe.env,
    },
  });
  const timer = setTimeout(() => program.kill("SIGKILL"), agentMaxMs);
  const { code, signal } = await program.exited;
  clearTimeout(timer);
  const problems: string[] = [];
  const text = await readFile(join(folder, workFile), "utf8");
  if (text !== rightText) problems.push("the file is not corrected");
  const proof = await readFile(join(folder, proofFile), "utf8").catch(() => "");
  if (!recipe.editsByWords && proof.trim() !== "ran") problems.push("the command was not run");
  if (code !== 0 && problems.length > 0) problems.push(`exit ${code ?? signal}`);
  if (problems.length > 0) problems.push(program.output().slice(-maxFailureChars).trim());
  await rm(home, { recursive: true, force: true });
  return { problems, output: program.output() };
}

/** The recipe's commands, the last of which gets the task in place of a terminal. */
function headlessScript({ program, headless, editsByWords }: AgentRecipe, text: string): string {
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  if (!last.startsWith(program))
    throw new Error(`the recipe ends with ${last}, not with ${program}`);
  const task = `'${(editsByWords ? editTask : workTask).replaceAll("'", "'\\''")}'`;
  const { subcommand, args } = headless;
  const rest = last.slice(program.length);
  // In its place, so that the end of the script is the end of the program.
  return [
    ...lines,
    ["exec", program, subcommand, rest.trim(), ...args, task].filter(Boolean).join(" "),
  ].join("\n");
}

async function place(name: string, text: string, folder: string, home: string): Promise<void> {
  const path = name.startsWith("~/") ? join(home, name.slice(2)) : join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
