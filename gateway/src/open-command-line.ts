/** The commands that manage a running gateway over its API. Loaded by those commands alone. */
import {
  applyCommand,
  type CommandPrinter,
  configurationUsage,
  exitCodes,
  exportCommand,
} from "./command-line/configuration-commands.ts";
import { CommandError, type GatewayAddress, managementClient } from "./command-line/management-client.ts";

export interface CommandLine extends CommandPrinter {
  name: "export" | "plan" | "apply";
  args: readonly string[];
  gateway: GatewayAddress;
  environment: Readonly<Record<string, string | undefined>>;
}

/** Returns the exit code. */
export async function runRemoteCommand({ name, args, gateway, ...rest }: CommandLine): Promise<number> {
  const command = { ...rest, call: managementClient(gateway) };
  try {
    if (args.includes("--help")) {
      rest.print(configurationUsage);
      return exitCodes.done;
    }
    if (gateway.key === "") throw new CommandError("TOLLGATE_KEY is missing: set it to a management key");
    return name === "export" ? await exportCommand(args, command) : await applyCommand(args, command, name === "plan");
  } catch (error) {
    const isArgument = (error as NodeJS.ErrnoException).code?.startsWith("ERR_PARSE_ARGS") === true;
    if (!(error instanceof CommandError) && !isArgument) throw error;
    rest.warn(`tollgate: ${(error as Error).message}${isArgument ? `\n\n${configurationUsage}` : ""}`);
    return exitCodes.refused;
  }
}
