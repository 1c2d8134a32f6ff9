/** The command `mcp`: an agent operates the gateway over standard input and output. */
import { type Scope, scopes } from "@tollgate/contract/accounts/scopes.ts";
import packageJson from "../../../package.json" with { type: "json" };
import { exitCodes, type GivenOptions, listTexts } from "./command-row.ts";
import type { CommandPrinter } from "./configuration-commands.ts";
import { CommandError, type ManagementClient } from "./management-client.ts";
import { answerMcpLine, serveMcpLines } from "./mcp-server.ts";
import { createContractTools } from "./mcp-tools.ts";

export interface McpCommand extends Pick<CommandPrinter, "print"> {
  call: ManagementClient;
  input: AsyncIterable<string | Buffer>;
}

export async function runMcpCommand(
  options: GivenOptions,
  { call, input, print }: McpCommand,
): Promise<number> {
  const named = listTexts(options, "scope").map((name): Scope => {
    const scope = scopes.find((one) => one === name);
    if (scope === undefined)
      throw new CommandError(`there is no such scope; there are ${scopes.join(", ")}`);
    return scope;
  });
  const tools = createContractTools({
    call,
    scopes: named,
    showsSecrets: options["show-secrets"] === true,
  });
  await serveMcpLines(input, (line) => answerMcpLine(line, tools, packageJson.version), print);
  return exitCodes.done;
}
