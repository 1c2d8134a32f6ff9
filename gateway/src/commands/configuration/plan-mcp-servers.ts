/** Planned changes of MCP servers, by a configuration document. */
import { isDeepStrictEqual } from "node:util";
import { isHeaderMask } from "@tollgate/contract/catalogue/channel-overrides.ts";
import { mcpServersMax } from "@tollgate/contract/catalogue/mcp-servers.ts";
import type {
  ConfigurationRequest,
  ConfiguredMcpServer,
} from "@tollgate/contract/commands/configuration.ts";
import { buildMcpHeaderColumns, openMcpHeaders } from "../../catalogue/mcp-servers/mcp-headers.ts";
import {
  buildMcpServerColumns,
  buildSettings,
  checkHeadersMayGo,
  checkMcpAddress,
} from "../../catalogue/mcp-servers/mcp-server-rules.ts";
import type { McpServerRow } from "../../catalogue/mcp-servers/mcp-server-store.ts";
import { findNamedChanges } from "../../http/member-changes.ts";
import type { AuthenticatedContext } from "../../http/request-context.ts";
import { checkGroupAmong } from "../../settings/group-rules.ts";
import { readUuid7 } from "../../storage/time-ids.ts";
import type { ConfigurationDeps } from "./configuration-plan.ts";
import { listMcpServerSettings, readWantedMcpHeaders } from "./configured-mcp-server.ts";
import { listGroups } from "./groups-after.ts";
import {
  addNamedSteps,
  changeMembers,
  emptyPlan,
  findAction,
  type KindPlan,
  type PlannedStep,
} from "./kind-plan.ts";

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
  const groups = await listGroups(deps, request);
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
        return row
          ? changeServer(deps, call, { wanted, row, request })
          : buildServer(deps, call, wanted, file);
      },
      remove: (row) => ({
        writes: [store.remove(row)],
        audits: call.audit("mcp_server.delete", row.uuid, { name: row.name, url: row.url }),
      }),
    },
  );
  return plan;
}

function buildServer(
  { mcpServers, seal }: McpPlanDeps,
  call: AuthenticatedContext,
  wanted: ConfiguredMcpServer,
  file: string,
): PlannedStep {
  const uuid = readUuid7(call.now);
  const columns = buildMcpServerColumns(listMcpServerSettings(wanted, true));
  const sealed = buildMcpHeaderColumns(seal, uuid, readWantedMcpHeaders(wanted.headers, {}));
  const row = {
    uuid,
    ...columns,
    ...sealed,
    managed_by: file,
    created_at: call.now,
    updated_at: call.now,
  };
  return {
    action: "create",
    writes: [mcpServers.insert(row)],
    audits: call.audit("mcp_server.create", uuid, {
      ...columns,
      header_names: sealed.header_names,
    }),
  };
}

interface WantedOfServer {
  wanted: ConfiguredMcpServer;
  row: McpServerRow;
  request: ConfigurationRequest;
}

/** Undefined where the row is as the document wants it. */
function changeServer(
  { mcpServers, seal }: McpPlanDeps,
  call: AuthenticatedContext,
  { wanted, row, request }: WantedOfServer,
): PlannedStep | undefined {
  const before = buildSettings(row);
  const settings = listMcpServerSettings(wanted, before.enabled);
  const columns = buildMcpServerColumns(settings);
  const members = changeMembers(before, settings);
  const stored = openMcpHeaders(seal, row);
  const headers = readWantedMcpHeaders(wanted.headers, stored);
  // A value that comes with the request may go where the request says.
  if (Object.values(wanted.headers).some(isHeaderMask)) checkHeadersMayGo(row, wanted.url);
  const isOtherHeaders = !isDeepStrictEqual(headers, stored);
  if (isOtherHeaders) members.push("headers");
  const action = findAction(row, members, request);
  if (!action) return undefined;
  const sealed = isOtherHeaders ? buildMcpHeaderColumns(seal, row.uuid, headers) : undefined;
  const updated_at = Math.max(call.now, row.updated_at + 1);
  return {
    action,
    members,
    writes: [
      mcpServers.update(row, { ...columns, ...sealed, managed_by: request.file, updated_at }),
    ],
    audits: call.audit("mcp_server.update", row.uuid, {
      ...findNamedChanges(row, { ...columns, managed_by: request.file }),
      ...(sealed && { headers: "changed", header_names: sealed.header_names }),
    }),
  };
}
