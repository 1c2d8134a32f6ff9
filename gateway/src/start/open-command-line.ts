/** The commands that manage a running gateway over its API. Loaded by those commands alone. */
import { type CommandInput, exitCodes } from "./command-line/command-row.ts";
import { applyCommand, type ConfigurationCommand, exportCommand } from "./command-line/configuration-commands.ts";
import {
  CommandError,
  type GatewayAddress,
  type ManagementClient,
  managementClient,
} from "./command-line/management-client.ts";
import { mcpCommand } from "./command-line/mcp-command.ts";
import { resourceCommand } from "./command-line/resource-commands.ts";
import { resourceVerbOf } from "./command-line/resource-verbs.ts";

export interface CommandLine extends Omit<ConfigurationCommand, "call"> {
  command: CommandInput;
  gateway: GatewayAddress;
  input: AsyncIterable<string | Buffer>;
}

/** Returns the exit code. */
export async function runRemoteCommand(line: CommandLine): Promise<number> {
  const { gateway, warn } = line;
  try {
    if (gateway.key === "") throw new CommandError("TOLLGATE_KEY is missing: set it to a management key");
    return await run(line, managementClient(gateway));
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    warn(`tollgate: ${error.message}`);
    return exitCodes.refused;
  }
}

async function run({ command, ...line }: CommandLine, call: ManagementClient): Promise<number> {
  const { name, options } = command;
  const verb = resourceVerbOf(name);
  if (verb) return await resourceCommand(verb, command, { ...line, call });
  if (name === "mcp") return await mcpCommand(options, { ...line, call });
  if (name === "export") return await exportCommand(options, { ...line, call });
  return await applyCommand(options, { ...line, call }, name === "plan");
}
