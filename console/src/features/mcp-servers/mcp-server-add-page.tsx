import { Trans, useLingui } from "@lingui/react/macro";
import { useNavigate } from "@tanstack/react-router";
import { createMcpServer, listMcpServers } from "@tollgate/contract/mcp-servers.ts";
import { entityRef } from "../../compat/entity-ids.ts";
import { useCreation } from "../../components/use-creation.ts";
import { Page } from "../../ui/page.tsx";
import { McpServerForm } from "./mcp-server-form.tsx";
import { newMcpServer, toMcpServerCreate } from "./mcp-server-form-values.ts";

export function McpServerAddPage() {
  const { t } = useLingui();
  const navigate = useNavigate();
  const create = useCreation(createMcpServer, [listMcpServers]);
  return (
    <Page title={t`Add MCP server`} subtitle={t`Once it is added, it can be asked for its tools`}>
      <McpServerForm
        initial={newMcpServer}
        storedHeaders={[]}
        submit={<Trans>Add MCP server</Trans>}
        submitting={<Trans>Creating...</Trans>}
        onSubmit={async (values) => {
          const { data } = await create(toMcpServerCreate(values));
          await navigate({ to: "/channels/mcp/{-$id}", params: { id: entityRef(data) } });
        }}
      />
    </Page>
  );
}
