import { Trans, useLingui } from "@lingui/react/macro";
import { readExampleCommand } from "@tollgate/contract/api/api-examples.ts";
import {
  clientGroup,
  type DescribedOperation,
} from "@tollgate/contract/api/described-operations.ts";
import { formatSchemaText } from "@tollgate/contract/api/schema-text.ts";
import { useState } from "react";
import { CaptionedCode } from "../../components/captioned-code.tsx";
import { PartBoundary } from "../../ui/part-boundary.tsx";

/**
 * `OperationItem` gives one operation as a line that opens; its schemas are written out when it is
 * opened for the first time.
 */
export function OperationItem({ operation }: { operation: DescribedOperation }) {
  const [wasOpened, setOpened] = useState(false);
  const { method, path, summary } = operation;
  return (
    <li>
      <details onToggle={() => setOpened(true)}>
        <summary className="cursor-pointer py-2">
          <code className="break-all font-mono text-sm">
            <span className="font-semibold">{method}</span> {path}
          </code>
          <span className="ml-3 text-muted text-sm">{summary}</span>
        </summary>
        {wasOpened && (
          <div className="flex flex-col gap-3 pb-4">
            <PartBoundary>
              <OperationDetails operation={operation} />
            </PartBoundary>
          </div>
        )}
      </details>
    </li>
  );
}

function OperationDetails({ operation }: { operation: DescribedOperation }) {
  const { t } = useLingui();
  const { id, group, role, scope, format, query, body, example, data } = operation;
  const command = findCommand(operation);
  return (
    <>
      <ul className="flex flex-col gap-1 text-sm">
        <li>
          <Trans>
            Name: <code className="break-all font-mono">{id}</code>
          </Trans>
        </li>
        {role !== undefined && (
          <li>
            <Trans>Lowest role</Trans>: <code className="font-mono">{role}</code>
          </li>
        )}
        {group === clientGroup && (
          <li>
            <Trans>Needs an API key</Trans>
          </li>
        )}
        {scope !== undefined && (
          <li>
            <Trans>
              A management key needs the scope <code className="font-mono">{scope}</code>
            </Trans>
          </li>
        )}
        {scope === undefined && group !== clientGroup && role !== "public" && (
          <li>
            <Trans>No management key may call it</Trans>
          </li>
        )}
        {format !== undefined && (
          <li>
            <a href={format} rel="noreferrer" target="_blank">
              <Trans>The format, at its vendor</Trans>
            </a>
          </li>
        )}
      </ul>
      {query && <CaptionedCode label={t`Query`} code={formatSchemaText(query)} />}
      {body && <CaptionedCode label={t`Body`} code={formatSchemaText(body)} />}
      {example !== undefined && (
        <CaptionedCode label={t`Example body`} code={JSON.stringify(example, null, 2)} />
      )}
      {data && <CaptionedCode label={t`Data of the reply`} code={formatSchemaText(data)} />}
      {command !== undefined && <CaptionedCode label={t`Example`} code={command} isCopied />}
    </>
  );
}

/** A command that works as it stands; undefined where a body is needed and none is known. */
function findCommand({
  method,
  path,
  group,
  role,
  scope,
  body,
  example,
}: DescribedOperation): string | undefined {
  if (body !== undefined || (method !== "GET" && example === undefined)) return undefined;
  if (group !== clientGroup && scope === undefined && role !== "public") return undefined;
  const credential = group === clientGroup ? "$API_KEY" : "$TOLLGATE_KEY";
  return readExampleCommand({
    path,
    ...(method !== "GET" && { method }),
    ...(role !== "public" && { credential }),
    ...(example !== undefined && { body: example }),
  });
}
