import { Trans, useLingui } from "@lingui/react/macro";
import { useNavigate } from "@tanstack/react-router";
import {
  getMcpServer,
  listMcpServers,
  type McpServer,
  updateMcpServer,
} from "@tollgate/contract/catalogue/mcp-servers.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { buildEntityIds } from "../../compat/entity-ids.ts";
import { EditPage } from "../../components/forms/edit-page.tsx";
import { ItemToggle } from "../../components/lists/item-toggle.tsx";
import { ManagedNotice } from "../../components/managed-notice.tsx";
import { McpServerForm } from "./mcp-server-form.tsx";
import { buildMcpServerForm, buildMcpServerUpdate } from "./mcp-server-form-values.ts";
import { McpServerTestCard } from "./mcp-server-test-card.tsx";

export function McpServerEditPage() {
  const { t } = useLingui();
  return (
    <EditPage
      endpoint={getMcpServer}
      title={t`Edit MCP server`}
      subtitle={t`Changes apply from the next call`}
      loading={t`Loading MCP server...`}
      fields={6}
      list={{ to: "/channels/mcp", label: t`Back to MCP servers` }}
    >
      {(server, onReload) => <EditMcpServer server={server} onReload={onReload} />}
    </EditPage>
  );
}

function EditMcpServer({ server, onReload }: { server: McpServer; onReload: () => void }) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const [found, setFound] = useState<readonly string[]>([]);
  const { name, enabled, managed_by, updated_at } = server;
  const change = async (members: { managed_by: ""; updated_at: number } | { enabled: boolean }) => {
    await api.change(updateMcpServer, [listMcpServers], {
      body: { ...buildEntityIds(server), ...members },
    });
  };
  const toggle = async (isEnabled: boolean) => {
    await change({ enabled: isEnabled });
    onReload();
  };
  return (
    <>
      <ManagedNotice
        name={name}
        file={managed_by}
        onTakeOver={() => change({ managed_by: "", updated_at })}
        onTaken={onReload}
      >
        <ItemToggle name={name} isEnabled={enabled} onToggle={toggle} />
      </ManagedNotice>
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,36rem)_minmax(0,1fr)]">
        <McpServerForm
          initial={buildMcpServerForm(server)}
          storedHeaders={server.header_names}
          foundTools={found}
          submit={<Trans>Save</Trans>}
          submitting={<Trans>Updating...</Trans>}
          onReload={onReload}
          isReadOnly={managed_by !== ""}
          onSubmit={async (values) => {
            await api.change(updateMcpServer, [listMcpServers], {
              body: buildMcpServerUpdate(values, server),
            });
            await navigate({
              to: "/channels/mcp/{-$id}",
              params: { id: undefined },
              state: { message: t`Saved. Applies from the next call.` },
            });
          }}
        />
        <McpServerTestCard server={server} onTools={setFound} />
      </div>
    </>
  );
}
