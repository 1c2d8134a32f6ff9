import { Trans, useLingui } from "@lingui/react/macro";
import { useNavigate } from "@tanstack/react-router";
import { createMcpServer, listMcpServers } from "@tollgate/contract/catalogue/mcp-servers.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { useCreation } from "../../components/forms/use-creation.ts";
import { Page } from "../../ui/page.tsx";
import { McpServerForm } from "./mcp-server-form.tsx";
import { buildMcpServerCreate, newMcpServer } from "./mcp-server-form-values.ts";

export function McpServerAddPage() {
  const { t } = useLingui();
  const navigate = useNavigate();
  const create = useCreation(createMcpServer, [listMcpServers]);
  return (
    <Page title={t`Add MCP server`} subtitle={t`After adding it, you can list its tools`}>
      <McpServerForm
        initial={newMcpServer}
        storedHeaders={[]}
        submit={<Trans>Add MCP server</Trans>}
        submitting={<Trans>Creating...</Trans>}
        onSubmit={async (values) => {
          const { data } = await create(buildMcpServerCreate(values));
          await navigate({ to: "/channels/mcp/{-$id}", params: { id: readEntityRef(data) } });
        }}
      />
    </Page>
  );
}
