/** The command `mcp`: an agent operates the gateway over standard input and output. */
import { parseArgs } from "node:util";
import { type Scope, scopes } from "@tollgate/contract/scopes.ts";
import packageJson from "../../package.json" with { type: "json" };
import { type CommandPrinter, exitCodes } from "./configuration-commands.ts";
import { CommandError, type ManagementClient } from "./management-client.ts";
import { answerMcpLine, serveMcpLines } from "./mcp-server.ts";
import { contractTools } from "./mcp-tools.ts";

export const mcpUsage = `mcp [--scope SCOPE]… [--show-secrets]   an MCP server on standard input and output, with the rights of TOLLGATE_KEY
  --scope SCOPE   offers the operations of this scope alone, such as users:read; may be repeated
  --show-secrets  shows new keys and codes to the agent, and with it to its provider; they are masked otherwise`;

export interface McpCommand extends Pick<CommandPrinter, "print"> {
  call: ManagementClient;
  input: AsyncIterable<string | Buffer>;
}

export async function mcpCommand(args: readonly string[], { call, input, print }: McpCommand): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      scope: { type: "string", multiple: true, default: [] },
      "show-secrets": { type: "boolean", default: false },
    },
  });
  const named = values.scope.map((name): Scope => {
    const scope = scopes.find((one) => one === name);
    if (scope === undefined) throw new CommandError(`there is no such scope; there are ${scopes.join(", ")}`);
    return scope;
  });
  const tools = contractTools({ call, scopes: named, showsSecrets: values["show-secrets"] });
  await serveMcpLines(input, (line) => answerMcpLine(line, tools, packageJson.version), print);
  return exitCodes.done;
}
