import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import {
  deleteMcpServer,
  listMcpServers,
  type McpServer,
  mcpServersMax,
} from "@tollgate/contract/catalogue/mcp-servers.ts";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { FlashMessage } from "../../components/flash-message.tsx";
import { ItemName } from "../../components/lists/item-name.tsx";
import { ItemList, ItemRow, ItemText, ItemTitle } from "../../components/lists/item-row.tsx";
import { ItemVerbs } from "../../components/lists/item-verbs.tsx";
import { ManagedBadge } from "../../components/managed-badge.tsx";
import { Quota } from "../../components/quota.tsx";
import { Badge } from "../../ui/badge.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Page } from "../../ui/page.tsx";

/** Servers of tools that the gateway passes calls on to. */
export function McpServerListPage() {
  const { t } = useLingui();
  const servers = useQuery({ ...api.query(listMcpServers), select: (reply) => reply.data });
  const rows = servers.data ?? [];
  return (
    <Page
      title={t`MCP servers`}
      subtitle={t`Tool servers that agents reach with their API key, at one address`}
      action={
        rows.length < mcpServersMax && (
          <ButtonLink to="/channels/mcp/{-$id}" params={{ id: "add" }} variant="primary">
            <Trans>Add MCP server</Trans>
          </ButtonLink>
        )
      }
    >
      <FlashMessage />
      <Card>
        <ItemList
          source={servers}
          rows={rows}
          empty={<Trans>No MCP servers yet. API keys reach models only.</Trans>}
        >
          {(server) => <McpServerItem key={readEntityRef(server)} server={server} />}
        </ItemList>
      </Card>
    </Page>
  );
}

function McpServerItem({ server }: { server: McpServer }) {
  const { t } = useLingui();
  const { name, description, url, enabled, named_only, groups, tools, tool_prices } = server;
  const id = readEntityRef(server);
  const ownPrices = Object.keys(tool_prices).length;
  return (
    <ItemRow>
      <ItemText>
        <ItemTitle>
          <ItemName to="/channels/mcp/{-$id}" id={id} isMono>
            {name}
          </ItemName>
          {!enabled && (
            <Badge>
              <Trans>Disabled</Trans>
            </Badge>
          )}
          {!named_only && (
            <Badge tone="info">
              <Trans>Available to every key</Trans>
            </Badge>
          )}
          <ManagedBadge by={server.managed_by} />
        </ItemTitle>
        {description !== "" && <p className="[overflow-wrap:anywhere]">{description}</p>}
        <p className="font-mono text-muted text-sm [overflow-wrap:anywhere]">{url}</p>
        <p className="flex flex-wrap gap-x-4 text-muted text-sm">
          <span className="[overflow-wrap:anywhere]">
            {groups.length === 0 ? <Trans>Every group</Trans> : groups.join(", ")}
          </span>
          <span>
            {tools.length === 0 ? (
              <Trans>All its tools</Trans>
            ) : (
              <Plural value={tools.length} one="1 tool" other="# tools" />
            )}
          </span>
          <span>
            <Quota units={server.call_price} /> <Trans>a call</Trans>
            {ownPrices > 0 && (
              <>
                {" · "}
                <Plural
                  value={ownPrices}
                  one="1 tool has its own price"
                  other="# tools have their own price"
                />
              </>
            )}
          </span>
        </p>
      </ItemText>
      <ItemVerbs
        name={name}
        primary={
          <ButtonLink
            size="sm"
            to="/channels/mcp/{-$id}"
            params={{ id }}
            aria-label={t`Edit ${name}`}
          >
            <Trans>Edit</Trans>
          </ButtonLink>
        }
        removal={{
          question: (
            <Trans>
              Clients that use its tools are refused at once. Its headers are deleted too.
            </Trans>
          ),
          onDelete: () => api.change(deleteMcpServer, [listMcpServers], { params: { id } }),
        }}
      />
    </ItemRow>
  );
}
