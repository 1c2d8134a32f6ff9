import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { getCallBody } from "@tollgate/contract/call-bodies.ts";
import { useEffect, useRef, useState } from "react";
import { findRequestId, readReason } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { LoadingStatus, Skeleton } from "../../ui/skeleton.tsx";
import { readConversation } from "./conversation.ts";

/**
 * `CallContents` shows what is kept of a call, asked for by a press alone: each view is recorded.
 */
export function CallContents({
  reference,
  isRedacted,
}: {
  reference: string;
  isRedacted: boolean;
}) {
  const [isOpen, setIsOpen] = useState(false);
  const opened = useRef<HTMLDivElement>(null);
  // The button that had the focus is gone.
  useEffect(() => {
    if (isOpen) opened.current?.focus();
  }, [isOpen]);
  if (isOpen)
    return (
      <div ref={opened} tabIndex={-1} className="outline-none">
        <LoadedContents reference={reference} />
      </div>
    );
  return (
    <div className="flex flex-col items-start gap-2">
      <p className="text-muted text-sm">
        {isRedacted ? (
          <Trans>
            What was asked and answered is kept, without credentials and attachments. Each view is
            recorded.
          </Trans>
        ) : (
          <Trans>What was asked and answered is kept. Each view is recorded.</Trans>
        )}
      </p>
      <Button size="sm" onClick={() => setIsOpen(true)}>
        <Trans>Show contents</Trans>
      </Button>
    </div>
  );
}

function LoadedContents({ reference }: { reference: string }) {
  const { t } = useLingui();
  const contents = useQuery({
    ...api.query(getCallBody, { params: { id: reference } }),
    select: (reply) => reply.data,
    // Asked once: another question would be another view.
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  if (contents.error !== null)
    return (
      <Alert
        title={readReason(contents.error, t`Failed to read the contents`)}
        requestId={findRequestId(contents.error)}
        onRetry={() => void contents.refetch()}
        retrying={contents.isFetching}
      />
    );
  if (contents.data === undefined)
    return (
      <div>
        <LoadingStatus />
        <Skeleton className="h-32" />
      </div>
    );
  const { request, answer } = contents.data;
  const turns = readConversation(request.text, answer.text, answer.type);
  return (
    <div className="flex flex-col gap-4">
      {(request.is_cut || answer.is_cut) && (
        <p className="text-muted text-sm">
          <Trans>This call was too long to store in full. Its end is missing.</Trans>
        </p>
      )}
      {turns.length > 0 && (
        <ol className="flex flex-col gap-3">
          {turns.map(({ role, text }, index) => (
            // A conversation does not change.
            // biome-ignore lint/suspicious/noArrayIndexKey: turns have no other identity
            <li key={index} className="rounded border border-line p-3">
              <p className="mb-1 font-medium text-muted text-xs">{role}</p>
              <p className="whitespace-pre-wrap text-sm [overflow-wrap:anywhere]">{text}</p>
            </li>
          ))}
        </ol>
      )}
      <SentText title={t`Request as it was sent`} text={request.text} copyLabel={t`Copy request`} />
      <SentText title={t`Answer as it was sent`} text={answer.text} copyLabel={t`Copy answer`} />
    </div>
  );
}

function SentText({ title, text, copyLabel }: { title: string; text: string; copyLabel: string }) {
  if (text === "") return null;
  return (
    <details>
      <summary className="cursor-pointer py-0.5 text-sm">{title}</summary>
      <div className="mt-2 flex items-start gap-2">
        <ScrollRegion
          label={title}
          className="max-h-96 min-w-0 grow overflow-auto rounded-md border border-line p-3"
        >
          <pre className="whitespace-pre-wrap font-mono text-xs [overflow-wrap:anywhere]">
            {text}
          </pre>
        </ScrollRegion>
        <CopyButton text={text} label={copyLabel} />
      </div>
    </details>
  );
}
