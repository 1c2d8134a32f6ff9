/**
 * `login`, `token`, `logout` and `use`: what a person does on their own machine, with their own
 * sign-in and no management key.
 */
import * as z from "zod/mini";
import { type CommandInput, exitCodes, findText, UsageError } from "../command-line/command-row.ts";
import type { AgentCommandName } from "../command-line/command-table.ts";
import type { CommandPrinter } from "../command-line/configuration-commands.ts";
import { CommandError } from "../command-line/management-client.ts";
import { visible } from "../command-line/visible-text.ts";
import { obtainSignInTokens, revokeSignInTokens } from "./agent-door.ts";
import { chooseFittingModel, findWriter, type UsedAgent, usedAgents } from "./agent-writers.ts";
import { readCurrentKey, requireSignIn } from "./current-key.ts";
import {
  type AgentEnvironment,
  readSignIn,
  readStateFolder,
  removeSignIn,
  type StoredSignIn,
  withSignInLock,
  writeSignIn,
} from "./sign-in-file.ts";
import { stopUsingAgent, useAgent } from "./use-agent.ts";

export interface AgentCommand extends CommandPrinter {
  command: CommandInput;
  environment: AgentEnvironment;
  /** `program` starts this program from others: its name where it is on PATH, else its files. */
  program: readonly [string, ...string[]];
}

const modelsTimeoutMs = 20_000;
const namedMax = 20;

function readGatewayUrl(text: string): string {
  const url = URL.parse(text.includes("://") ? text : `https://${text}`);
  if (!url || !["http:", "https:"].includes(url.protocol))
    throw new UsageError(`${text} is no address of a gateway`);
  return (url.origin + url.pathname).replace(/\/+$/, "");
}

const isLoopback = ({ hostname }: URL): boolean =>
  /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname);

async function login({ command, environment, print, warn }: AgentCommand): Promise<void> {
  const folder = readStateFolder(environment);
  const before = await readSignIn(folder);
  const given = command.args[0] ?? environment.TOLLGATE_URL ?? before?.url;
  if (given === undefined)
    throw new UsageError("login takes the address of the gateway: tollgate login URL");
  const url = readGatewayUrl(given);
  const address = new URL(url);
  if (address.protocol === "http:" && !isLoopback(address))
    warn(
      "tollgate: the way to this gateway is not encrypted; whoever can read it can use your sign-in",
    );
  const signIn = await obtainSignInTokens(url, (page, code) =>
    print(`Open ${page}\nand approve it if it shows this code:\n\n  ${code}\n`),
  );
  await withSignInLock(folder, () => writeSignIn(folder, signIn));
  // Its own sign-in on the list of sessions would stay for a week.
  if (before) await revokeSignInTokens(before).catch(() => undefined);
  print(`Signed in to ${url}. \`tollgate use AGENT\` sets an agent up.`);
}

async function logout({ environment, print }: AgentCommand): Promise<void> {
  const folder = readStateFolder(environment);
  const signIn = await requireSignIn(folder);
  await withSignInLock(folder, () => removeSignIn(folder));
  await revokeSignInTokens(signIn);
  print(`Signed out of ${signIn.url}`);
}

const listShape = z.looseObject({ data: z.array(z.looseObject({ id: z.string() })) });

async function listModels({ url }: StoredSignIn, key: string): Promise<string[]> {
  const reply = await fetch(`${url}/v1/models`, {
    headers: { authorization: `Bearer ${key}` },
    redirect: "error",
    signal: AbortSignal.timeout(modelsTimeoutMs),
  }).catch((error: Error) => {
    throw new CommandError(`${url} cannot be reached: ${error.message}`);
  });
  const parsed = z.safeParse(listShape, await reply.json().catch(() => undefined));
  if (!reply.ok || !parsed.success)
    throw new CommandError(`${url} does not list its models: it answered ${reply.status}`);
  // A name with anything that a terminal obeys is none: it goes to the screen and into settings.
  return parsed.data.data.map(({ id }) => id).filter((id) => visible(id, id.length) === id);
}

/** The one that was named, else the best that the agent is made for. */
async function chooseModel(
  agent: UsedAgent,
  { command, environment }: AgentCommand,
  signIn: StoredSignIn,
): Promise<string> {
  const named = findText(command.options, "model");
  if (named !== undefined) return named;
  const writer = findWriter(agent);
  const offered = await listModels(signIn, await readCurrentKey(readStateFolder(environment)));
  const fitting = chooseFittingModel(writer, offered);
  if (fitting !== undefined) return fitting;
  const names = offered.slice(0, namedMax).join(", ");
  throw new CommandError(
    `no model here is one of ${writer.title}'s: name one with --model, such as ${names}`,
  );
}

async function use(input: AgentCommand): Promise<void> {
  const { command, environment, print, program } = input;
  const agent = usedAgents.find((name) => name === command.args[0]);
  if (agent === undefined) throw new UsageError(`use takes one of ${usedAgents.join(", ")}`);
  const files = { folder: readStateFolder(environment), agent };
  const { title, start } = findWriter(agent);
  if (command.options.undo === true) {
    for (const path of await stopUsingAgent(files)) print(`Restored ${path}`);
    return;
  }
  const signIn = await requireSignIn(files.folder);
  const model = await chooseModel(agent, input, signIn);
  const [first, ...rest] = program;
  const helper: readonly [string, ...string[]] = [first, ...rest, "token"];
  const isPrinted = command.options.print === true;
  const written = await useAgent(
    { origin: signIn.url, model, helper, environment },
    files,
    isPrinted,
  );
  for (const { path, after } of written) print(isPrinted ? `${path}\n${after}` : `Wrote ${path}`);
  print(`Start ${title} with: ${start({ model, helper })}`);
}

const handlers: Readonly<Record<AgentCommandName, (command: AgentCommand) => Promise<void>>> = {
  login,
  logout,
  use,
  async token({ environment, print }) {
    print(await readCurrentKey(readStateFolder(environment)));
  },
};

/** Returns the exit code. */
export async function runAgentCommand(
  name: AgentCommandName,
  input: AgentCommand,
): Promise<number> {
  try {
    await handlers[name](input);
    return exitCodes.done;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    input.warn(`tollgate: ${error.message}`);
    return exitCodes.refused;
  }
}
