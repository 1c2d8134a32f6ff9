// Lets one agent do the task through a gateway, and says what came of it.
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startProgram } from "../../harness/child-process.ts";
import { startWorld } from "../../world.ts";
import { startPlayedUpstream } from "../played-upstream.ts";
import type { TalkEntry } from "../talk.ts";
import type { Agent } from "./agents.ts";
import { after, before, type ChatBody, file, task, think } from "./brain.ts";

/** One line of docs/conformance.md. */
export interface Driven {
  library: string;
  version: string;
  entry: TalkEntry;
  /** Empty where the agent did its task. */
  failure: string;
  /** Calls that the agent made for it, all billed. */
  calls: number;
}

/** Agents take seconds; one that waits for something else is ended. */
const agentMaxMs = 120_000;
const saidMax = 300;

/** `installed` is the folder whose node_modules have the agent. */
export async function drive(agent: Agent, installed: string): Promise<Driven> {
  const { library, entry } = agent;
  const folder = await realpath(await mkdtemp(join(tmpdir(), "tollgate-agent-")));
  const home = await mkdtemp(join(tmpdir(), "tollgate-home-"));
  const upstream = await startPlayedUpstream();
  const world = await startWorld({ upstreams: [upstream.url] });
  try {
    await writeFile(join(folder, file), before);
    const model = "brain-1";
    // Nearly every agent asks a smaller model besides, by a name of its own.
    upstream.always((asked) => think(asked.body as ChatBody, folder));
    const models = [
      model,
      "claude-haiku-4-5",
      "claude-haiku-4-5-20251001",
      "gemini-2.5-flash",
      "gemini-2.5-flash-lite",
    ];
    await world.given.channel({ type: 50, key: "k", base_url: upstream.url, models: models.join() });
    const place = { url: world.url, key: (await world.given.token()).key, model, home };
    await agent.prepare?.(place);
    const said = await run(agent.args(place, task), agent.env(place), { agent, installed, folder, home });
    const isDone = (await readFile(join(folder, file), "utf8")) === after;
    const books = await world.settled();
    const path = join(installed, "node_modules", library, "package.json");
    const { version } = JSON.parse(await readFile(path, "utf8")) as { version: string };
    return { library, version, entry, failure: isDone ? "" : said.slice(-saidMax).trim(), calls: books.succeeded };
  } finally {
    await world.close();
    await upstream.close();
    await rm(folder, { recursive: true, force: true });
    await rm(home, { recursive: true, force: true });
  }
}

interface Surroundings {
  agent: Agent;
  installed: string;
  folder: string;
  home: string;
}

async function run(
  args: string[],
  env: Record<string, string>,
  { agent, installed, folder, home }: Surroundings,
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
