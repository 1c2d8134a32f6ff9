/** The commands that manage a running gateway over its API. Loaded by those commands alone. */
import { type CommandInput, exitCodes } from "../commands/command-line/command-row.ts";
import {
  applyCommand,
  type ConfigurationCommand,
  exportCommand,
} from "../commands/command-line/configuration-commands.ts";
import {
  CommandError,
  createManagementClient,
  type GatewayAddress,
  type ManagementClient,
} from "../commands/command-line/management-client.ts";
import { runMcpCommand } from "../commands/command-line/mcp-command.ts";
import { runResourceCommand } from "../commands/command-line/resource-commands.ts";
import { findResourceVerb } from "../commands/command-line/resource-verbs.ts";

export interface CommandLine extends Omit<ConfigurationCommand, "call"> {
  command: CommandInput;
  gateway: GatewayAddress;
  input: AsyncIterable<string | Buffer>;
}

/** Returns the exit code. */
export async function runRemoteCommand(line: CommandLine): Promise<number> {
  const { gateway, warn } = line;
  try {
    if (gateway.key === "")
      throw new CommandError("TOLLGATE_KEY is missing: set it to a management key");
    return await run(line, createManagementClient(gateway));
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    warn(`tollgate: ${error.message}`);
    return exitCodes.refused;
  }
}

async function run({ command, ...line }: CommandLine, call: ManagementClient): Promise<number> {
  const { name, options } = command;
  const verb = findResourceVerb(name);
  if (verb) return await runResourceCommand(verb, command, { ...line, call });
  if (name === "mcp") return await runMcpCommand(options, { ...line, call });
  if (name === "export") return await exportCommand(options, { ...line, call });
  return await applyCommand(options, { ...line, call }, name === "plan");
}
