/** API routes for MCP servers. */
import { isDeepStrictEqual } from "node:util";
import { named, type Reference } from "@tollgate/contract/api/ids.ts";
import {
  createMcpServer,
  deleteMcpServer,
  getMcpServer,
  listMcpServers,
  listTokenMcpServers,
  type McpServerByName,
  type McpServerChange,
  type McpServerInput,
  mcpServerInput,
  mcpServersMax,
  putMcpServer,
  testMcpServer,
  updateMcpServer,
} from "@tollgate/contract/catalogue/mcp-servers.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { idempotent } from "../../http/idempotency.ts";
import { checkUnmanaged } from "../../http/managed-by-file.ts";
import { findNamedChanges } from "../../http/member-changes.ts";
import { refuse } from "../../http/refusal.ts";
import type { AuthenticatedContext } from "../../http/request-context.ts";
import { parseOrRefuse } from "../../http/validation-errors.ts";
import type { Sealer } from "../../secrets/seal.ts";
import { checkGroup, listSelectableGroups } from "../../settings/group-rules.ts";
import type { OptionReader } from "../../settings/live-options.ts";
import type { Database, Write } from "../../storage/database.ts";
import { readUuid7 } from "../../storage/time-ids.ts";
import { buildMcpHeaderColumns, hasMcpHeaders } from "./mcp-headers.ts";
import {
  buildMcpServerColumns,
  changeMcpServer,
  checkMcpAddress,
  type McpServerAnswer,
  readAccess,
  showTool,
  showToTokens,
  viewMcpServer,
} from "./mcp-server-rules.ts";
import type { McpServerRow, McpServerStore } from "./mcp-server-store.ts";

export interface McpServerRoutesDeps {
  db: Database;
  store: McpServerStore;
  options: OptionReader;
  seal: Sealer;
  /** `addressIssue` says why an address must not be called. */
  addressIssue(url: string): string | undefined;
  /** Asks a server for its tools; never rejects. */
  listTools(row: McpServerRow): Promise<McpServerAnswer>;
}

export function buildMcpServerRoutes({
  db,
  store,
  options,
  seal,
  addressIssue,
  listTools,
}: McpServerRoutesDeps): ApiRoute[] {
  const existing = async (reference: Reference): Promise<McpServerRow> => {
    const found = await store.find(reference);
    if (!found) throw refuse("mcp_server_not_found");
    return found;
  };
  const write = (batch: Write[]) => db.write(batch, { changes: ["mcp_servers"] });

  const check = ({ url, groups }: { url: string; groups: readonly string[] }): void => {
    checkMcpAddress(url, addressIssue);
    for (const group of groups) checkGroup(options, group);
  };

  const create = async (call: AuthenticatedContext & { body: McpServerInput }) => {
    const { body, now } = call;
    const { headers, ...settings } = body;
    const uuid = await idempotent(db, call, {
      name: "mcp_server.create",
      body,
      async create(remember) {
        check(settings);
        if ((await store.all()).length >= mcpServersMax) throw refuse("mcp_servers_full");
        const made = readUuid7(now);
        const columns = buildMcpServerColumns(settings);
        const sealed = buildMcpHeaderColumns(seal, made, headers);
        await write([
          store.insert({
            uuid: made,
            ...columns,
            ...sealed,
            managed_by: "",
            created_at: now,
            updated_at: now,
          }),
          ...call.audit("mcp_server.create", made, {
            ...columns,
            header_names: sealed.header_names,
          }),
          ...remember(made),
        ]);
        return made;
      },
    });
    return existing({ uuid });
  };

  const change = async (call: AuthenticatedContext, row: McpServerRow, edit: McpServerChange) => {
    const settings = changeMcpServer(row, edit);
    // A server whose host is no longer allowed can still be switched off.
    if (settings.enabled || edit.url !== undefined) check(settings);
    const columns = buildMcpServerColumns(settings);
    const sealed = edit.headers && buildMcpHeaderColumns(seal, row.uuid, edit.headers);
    const updated_at = Math.max(call.now, row.updated_at + 1);
    const managed_by = edit.managed_by ?? row.managed_by;
    await write([
      store.update(row, { ...columns, ...sealed, managed_by, updated_at }),
      ...call.audit("mcp_server.update", row.uuid, {
        ...findNamedChanges(row, { ...columns, managed_by }),
        ...(sealed && { headers: "changed", header_names: sealed.header_names }),
      }),
    ]);
    return { ...row, ...columns, ...sealed, managed_by, updated_at };
  };

  const put = async (call: AuthenticatedContext, name: string, body: McpServerByName) => {
    const row = await store.byName(name);
    if (!row) return create({ ...call, body: parseOrRefuse(mcpServerInput, { ...body, name }) });
    const columns = buildMcpServerColumns(changeMcpServer(row, body));
    const isAsAsked =
      isDeepStrictEqual({ ...row, ...columns }, row) && hasMcpHeaders(seal, row, body.headers);
    return isAsAsked ? row : change(call, row, body);
  };

  return [
    apiRoute(listMcpServers, async ({ query: { name } }) =>
      (await store.all())
        .filter((row) => name === undefined || row.name === name)
        .map(viewMcpServer),
    ),
    apiRoute(listTokenMcpServers, async ({ principal: { group } }) => {
      const groups = [group, ...listSelectableGroups(options)];
      return (await store.all()).flatMap((row) => showToTokens(row, groups) ?? []);
    }),
    apiRoute(getMcpServer, async ({ params }) => viewMcpServer(await existing(params.id))),
    apiRoute(createMcpServer, async (call) => viewMcpServer(await create(call))),
    apiRoute(updateMcpServer, async (call) =>
      viewMcpServer(await change(call, await existing(named(call.body)), call.body)),
    ),
    apiRoute(putMcpServer, async (call) =>
      viewMcpServer(await put(call, call.params.name, call.body)),
    ),
    apiRoute(deleteMcpServer, async (call) => {
      const row = await existing(call.params.id);
      checkUnmanaged(row);
      const { uuid, name, url } = row;
      await write([store.remove(row), ...call.audit("mcp_server.delete", uuid, { name, url })]);
    }),
    apiRoute(testMcpServer, async ({ params }) => {
      const row = await existing(params.id);
      const answer = await listTools(row);
      if ("issue" in answer) return { ok: false, issue: answer.issue, protocol: "", tools: [] };
      const access = readAccess(row);
      const tools = answer.tools.map(({ name, description }) =>
        showTool(access, name, description),
      );
      return { ok: true, issue: "", protocol: answer.protocol, tools };
    }),
  ];
}
