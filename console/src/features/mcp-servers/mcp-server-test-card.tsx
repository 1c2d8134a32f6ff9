import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import type { DataOf } from "@tollgate/contract/api/endpoint.ts";
import {
  type McpServer,
  type McpToolShown,
  testMcpServer,
} from "@tollgate/contract/catalogue/mcp-servers.ts";
import { findRequestId, readReason } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { Quota } from "../../components/quota.tsx";
import { readSiteAddress } from "../../site-path.ts";
import { Alert } from "../../ui/alert.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { ChangeOnly } from "../../ui/may-change.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";

interface McpServerTestCardProps {
  server: McpServer;
  /** Names of the tools that the server has. */
  onTools: (names: readonly string[]) => void;
}

/**
 * `McpServerTestCard` shows the address at which clients reach the server, and the answer that the
 * server gives now, as it is stored.
 */
export function McpServerTestCard({ server, onTools }: McpServerTestCardProps) {
  const { t } = useLingui();
  const address = `${readSiteAddress()}/mcp/${server.name}`;
  const test = useMutation({
    mutationFn: () => api.call(testMcpServer, { params: { id: readEntityRef(server) } }),
    onSuccess: ({ data }) => onTools(data.tools.map(({ name }) => name)),
  });
  return (
    <div className="min-w-0">
      <Card
        title={<Trans>Test</Trans>}
        note={<Trans>Lists the tools of the server without calling any.</Trans>}
        action={
          <ChangeOnly>
            <Button busy={test.isPending} onClick={() => test.mutate()}>
              <Trans>Ask for tools</Trans>
            </Button>
          </ChangeOnly>
        }
      >
        <div className="flex flex-col gap-3">
          <p className="flex flex-wrap items-center gap-x-2">
            <span className="text-muted">
              <Trans>Address for clients</Trans>
            </span>
            <span className="font-mono text-sm [overflow-wrap:anywhere]">{address}</span>
            <CopyButton text={address} label={t`Copy the address`} />
          </p>
          {test.error !== null && (
            <Alert
              title={readReason(test.error, t`Operation failed`)}
              requestId={findRequestId(test.error)}
            />
          )}
          {test.data !== undefined && <TestOutcome outcome={test.data.data} />}
        </div>
      </Card>
    </div>
  );
}

function TestOutcome({
  outcome: { ok, issue, protocol, tools },
}: {
  outcome: DataOf<typeof testMcpServer>;
}) {
  const { t } = useLingui();
  if (!ok)
    return (
      <Alert title={t`The server offers no tools`}>
        <span className="[overflow-wrap:anywhere]">{issue}</span>
      </Alert>
    );
  return (
    <>
      <Alert
        tone="good"
        title={
          <Plural value={tools.length} one="The server has 1 tool" other="The server has # tools" />
        }
      >
        {protocol !== "" && t`It speaks revision ${protocol} of the protocol.`}
      </Alert>
      {tools.length > 0 && (
        <ScrollRegion label={t`Tools of the server`} className="max-h-80 overflow-y-auto">
          <ul className="flex flex-col divide-y divide-line">
            {tools.map((tool) => (
              <ToolItem key={tool.name} tool={tool} />
            ))}
          </ul>
        </ScrollRegion>
      )}
    </>
  );
}

function ToolItem({ tool: { name, description, offered, price } }: { tool: McpToolShown }) {
  return (
    <li className="flex flex-col gap-1 py-2">
      <span className="flex flex-wrap items-center justify-between gap-x-3">
        <span className="font-mono text-sm [overflow-wrap:anywhere]">{name}</span>
        {offered ? (
          <span className="text-muted text-sm">
            <Quota units={price} /> <Trans>a call</Trans>
          </span>
        ) : (
          <Badge>
            <Trans>Not offered</Trans>
          </Badge>
        )}
      </span>
      {description !== "" && (
        <span className="line-clamp-2 text-muted text-sm [overflow-wrap:anywhere]">
          {description}
        </span>
      )}
    </li>
  );
}
