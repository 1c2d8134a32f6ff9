/** The commands that manage a running gateway over its API. Loaded by those commands alone. */
import {
  applyCommand,
  type CommandPrinter,
  configurationUsage,
  exitCodes,
  exportCommand,
} from "./command-line/configuration-commands.ts";
import { type ManagedResourceName, managedResourceNames } from "./command-line/managed-resources.ts";
import {
  CommandError,
  type GatewayAddress,
  type ManagementClient,
  managementClient,
} from "./command-line/management-client.ts";
import { mcpCommand, mcpUsage } from "./command-line/mcp-command.ts";
import { resourceCommand } from "./command-line/resource-commands.ts";
import { resourceUsage } from "./command-line/resource-verbs.ts";

export interface CommandLine extends CommandPrinter {
  name: "export" | "plan" | "apply" | "mcp" | ManagedResourceName;
  args: readonly string[];
  gateway: GatewayAddress;
  environment: Readonly<Record<string, string | undefined>>;
  input: AsyncIterable<string | Buffer>;
}

const resourceOf = (name: CommandLine["name"]): ManagedResourceName | undefined =>
  managedResourceNames.find((one) => one === name);

function usageOf(name: CommandLine["name"]): string {
  const resource = resourceOf(name);
  if (resource) return resourceUsage(resource);
  return name === "mcp" ? mcpUsage : configurationUsage;
}

/** Returns the exit code. */
export async function runRemoteCommand(line: CommandLine): Promise<number> {
  const { name, args, gateway, print, warn } = line;
  try {
    if (args.includes("--help")) {
      print(usageOf(name));
      return exitCodes.done;
    }
    if (gateway.key === "") throw new CommandError("TOLLGATE_KEY is missing: set it to a management key");
    return await run(line, managementClient(gateway));
  } catch (error) {
    const isArgument = (error as NodeJS.ErrnoException).code?.startsWith("ERR_PARSE_ARGS") === true;
    if (!(error instanceof CommandError) && !isArgument) throw error;
    const hint = resourceOf(name) ? `${name} --help lists what it takes` : usageOf(name);
    warn(`tollgate: ${(error as Error).message}${isArgument ? `\n\n${hint}` : ""}`);
    return exitCodes.refused;
  }
}

async function run({ name, args, ...command }: CommandLine, call: ManagementClient): Promise<number> {
  const resource = resourceOf(name);
  if (resource) return await resourceCommand(resource, args, { ...command, call });
  if (name === "mcp") return await mcpCommand(args, { ...command, call });
  if (name === "export") return await exportCommand(args, { ...command, call });
  return await applyCommand(args, { ...command, call }, name === "plan");
}
