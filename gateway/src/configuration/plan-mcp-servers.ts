/** What a configuration document would change of MCP servers. */
import { isDeepStrictEqual } from "node:util";
import { isHeaderMask } from "@tollgate/contract/channel-overrides.ts";
import type { ConfigurationRequest, ConfiguredMcpServer } from "@tollgate/contract/configuration.ts";
import { mcpServersMax } from "@tollgate/contract/mcp-servers.ts";
import { checkGroupAmong } from "../groups/group-rules.ts";
import { refuse } from "../http/refusal.ts";
import type { AuthenticatedContext } from "../http/request-context.ts";
import { mcpHeaderColumns, openMcpHeaders } from "../mcp-servers/mcp-headers.ts";
import { checkHeadersMayGo, checkMcpAddress, mcpServerColumns, settingsOf } from "../mcp-servers/mcp-server-rules.ts";
import type { McpServerRow } from "../mcp-servers/mcp-server-store.ts";
import { uuid7 } from "../storage/time-ids.ts";
import type { ConfigurationDeps } from "./configuration-plan.ts";
import { mcpServerSettings, wantedMcpHeaders } from "./configured-mcp-server.ts";
import { groupsAfter } from "./groups-after.ts";
import { addLeavingSteps, addStep, emptyPlan, isTakenOver, type KindPlan, type PlannedStep } from "./kind-plan.ts";

type McpPlanDeps = Pick<ConfigurationDeps, "mcpServers" | "mcpAddressIssue" | "options" | "seal">;

export async function planMcpServers(
  deps: McpPlanDeps,
  call: AuthenticatedContext,
  request: ConfigurationRequest,
): Promise<KindPlan> {
  const { mcpServers: store } = deps;
  const { file, prune, document } = request;
  const plan = emptyPlan("mcp_servers");
  const rows = await store.all();
  const byName = new Map(rows.map((row) => [row.name, row]));
  const groups = await groupsAfter(deps, request);
  const named = new Set<string>();
  const wantedNames = new Set((document.mcpServers ?? []).map(({ name }) => name));
  const leaving = rows.filter(({ name, managed_by }) => managed_by === file && !wantedNames.has(name));
  await addLeavingSteps(plan, leaving, prune, {
    kind: "mcp_server",
    remove: (row) => ({
      writes: [store.remove(row)],
      audits: call.audit("mcp_server.delete", row.uuid, { name: row.name, url: row.url }),
    }),
  });

  let count = rows.length - (prune ? leaving.length : 0);
  for (const wanted of document.mcpServers ?? [])
    await addStep(plan, "mcp_server", wanted.name, () => {
      if (named.has(wanted.name)) throw refuse("configuration_twice");
      named.add(wanted.name);
      const row = byName.get(wanted.name);
      // A server whose host is no longer allowed can still be switched off.
      if (wanted.enabled ?? row?.enabled !== 0) checkMcpAddress(wanted.url, deps.mcpAddressIssue);
      for (const group of wanted.groups) checkGroupAmong(groups, group);
      if (row) return changedServer(deps, call, { wanted, row, request });
      count += 1;
      if (count > mcpServersMax) throw refuse("mcp_servers_full");
      return newServer(deps, call, wanted, file);
    });
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
  const names = Object.keys(before) as (keyof typeof before)[];
  // By meaning: JSON of the same values may be stored in another order.
  const members: string[] = names.filter((name) => !isDeepStrictEqual(before[name], settings[name]));
  const stored = openMcpHeaders(seal, row);
  const headers = wantedMcpHeaders(wanted.headers, stored);
  // A value that comes with the request may go where the request says.
  if (Object.values(wanted.headers).some(isHeaderMask)) checkHeadersMayGo(row, wanted.url);
  const isOtherHeaders = !isDeepStrictEqual(headers, stored);
  if (isOtherHeaders) members.push("headers");
  const isAdopted = request.adopt && row.managed_by !== request.file;
  if (members.length === 0 && !isAdopted) return undefined;
  const action = isTakenOver(row, request) ? "adopt" : "update";
  const sealed = isOtherHeaders ? mcpHeaderColumns(seal, row.uuid, headers) : undefined;
  const updated_at = Math.max(call.now, row.updated_at + 1);
  return {
    action,
    members,
    writes: [mcpServers.update(row, { ...columns, ...sealed, managed_by: request.file, updated_at })],
    audits: call.audit("mcp_server.update", row.uuid, {
      ...columns,
      ...(sealed && { headers: "changed", header_names: sealed.header_names }),
    }),
  };
}
