/** What a configuration document would change of MCP servers. */
import { isDeepStrictEqual } from "node:util";
import { isHeaderMask } from "@tollgate/contract/channel-overrides.ts";
import type { ConfigurationRequest, ConfiguredMcpServer } from "@tollgate/contract/configuration.ts";
import { mcpServersMax } from "@tollgate/contract/mcp-servers.ts";
import { checkGroupAmong } from "../groups/group-rules.ts";
import { namedChanges } from "../http/member-changes.ts";
import type { AuthenticatedContext } from "../http/request-context.ts";
import { mcpHeaderColumns, openMcpHeaders } from "../mcp-servers/mcp-headers.ts";
import { checkHeadersMayGo, checkMcpAddress, mcpServerColumns, settingsOf } from "../mcp-servers/mcp-server-rules.ts";
import type { McpServerRow } from "../mcp-servers/mcp-server-store.ts";
import { uuid7 } from "../storage/time-ids.ts";
import type { ConfigurationDeps } from "./configuration-plan.ts";
import { mcpServerSettings, wantedMcpHeaders } from "./configured-mcp-server.ts";
import { groupsAfter } from "./groups-after.ts";
import { actionOf, addNamedSteps, changedMembers, emptyPlan, type KindPlan, type PlannedStep } from "./kind-plan.ts";

type McpPlanDeps = Pick<ConfigurationDeps, "mcpServers" | "mcpAddressIssue" | "options" | "seal">;

export async function planMcpServers(
  deps: McpPlanDeps,
  call: AuthenticatedContext,
  request: ConfigurationRequest,
): Promise<KindPlan> {
  const { mcpServers: store } = deps;
  const { file, document } = request;
  const plan = emptyPlan("mcp_servers");
  const rows = await store.all();
  const groups = await groupsAfter(deps, request);
  await addNamedSteps(
    plan,
    request,
    { wanted: document.mcpServers, rows },
    {
      kind: "mcp_server",
      nameOf: ({ name }) => name,
      limit: { max: mcpServersMax, code: "mcp_servers_full" },
      step(wanted, row) {
        // A server whose host is no longer allowed can still be switched off.
        if (wanted.enabled ?? row?.enabled !== 0) checkMcpAddress(wanted.url, deps.mcpAddressIssue);
        for (const group of wanted.groups) checkGroupAmong(groups, group);
        return row ? changedServer(deps, call, { wanted, row, request }) : newServer(deps, call, wanted, file);
      },
      remove: (row) => ({
        writes: [store.remove(row)],
        audits: call.audit("mcp_server.delete", row.uuid, { name: row.name, url: row.url }),
      }),
    },
  );
  return plan;
}

function newServer(
  { mcpServers, seal }: McpPlanDeps,
  call: AuthenticatedContext,
  wanted: ConfiguredMcpServer,
  file: string,
): PlannedStep {
  const uuid = uuid7(call.now);
  const columns = mcpServerColumns(mcpServerSettings(wanted, true));
  const sealed = mcpHeaderColumns(seal, uuid, wantedMcpHeaders(wanted.headers, {}));
  const row = { uuid, ...columns, ...sealed, managed_by: file, created_at: call.now, updated_at: call.now };
  return {
    action: "create",
    writes: [mcpServers.insert(row)],
    audits: call.audit("mcp_server.create", uuid, { ...columns, header_names: sealed.header_names }),
  };
}

interface WantedOfServer {
  wanted: ConfiguredMcpServer;
  row: McpServerRow;
  request: ConfigurationRequest;
}

/** Undefined where the row is as the document wants it. */
function changedServer(
  { mcpServers, seal }: McpPlanDeps,
  call: AuthenticatedContext,
  { wanted, row, request }: WantedOfServer,
): PlannedStep | undefined {
  const before = settingsOf(row);
  const settings = mcpServerSettings(wanted, before.enabled);
  const columns = mcpServerColumns(settings);
  const members = changedMembers(before, settings);
  const stored = openMcpHeaders(seal, row);
  const headers = wantedMcpHeaders(wanted.headers, stored);
  // A value that comes with the request may go where the request says.
  if (Object.values(wanted.headers).some(isHeaderMask)) checkHeadersMayGo(row, wanted.url);
  const isOtherHeaders = !isDeepStrictEqual(headers, stored);
  if (isOtherHeaders) members.push("headers");
  const action = actionOf(row, members, request);
  if (!action) return undefined;
  const sealed = isOtherHeaders ? mcpHeaderColumns(seal, row.uuid, headers) : undefined;
  const updated_at = Math.max(call.now, row.updated_at + 1);
  return {
    action,
    members,
    writes: [mcpServers.update(row, { ...columns, ...sealed, managed_by: request.file, updated_at })],
    audits: call.audit("mcp_server.update", row.uuid, {
      ...namedChanges(row, { ...columns, managed_by: request.file }),
      ...(sealed && { headers: "changed", header_names: sealed.header_names }),
    }),
  };
}
