import { Trans, useLingui } from "@lingui/react/macro";
import { Check, Copy, Download } from "lucide-react";
import type { ReactNode } from "react";
import { Alert } from "../../ui/alert.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { useCopy } from "../../ui/copy-button.tsx";
import { formatInteger } from "../../ui/format.ts";
import { saveFile } from "../../ui/save-file.ts";
import { SmallTable } from "../../ui/table/small-table.tsx";
import { type BatchEntry, formatBatchText, readBatchCsv } from "./batch-names.ts";

type BatchResultProps = {
  title: ReactNode;
  entries: readonly BatchEntry[];
  isRunning: boolean;
  /** The head of the second column: what kind of secret it is. */
  secretName: string;
  fileName: string;
  /** `warning` says why the secrets should be kept now. */
  warning?: ReactNode;
  /** Left out where the page goes on by itself. */
  listTo?: string;
  /** `onRetry` is for a batch whose names are made one after another. */
  onRetry?: () => void;
};

/** `BatchResult` shows what became of each name of a batch, to copy or save as a whole. */
export function BatchResult(props: BatchResultProps) {
  const { title, entries, isRunning, secretName, fileName, warning, listTo, onRetry } = props;
  const { t } = useLingui();
  const { outcome, copy } = useCopy();
  const made = entries.filter(({ secret }) => secret !== undefined).length;
  const failed = entries.filter(({ failure }) => failure !== undefined).length;
  const [madeText, allText, failedText] = [made, entries.length, failed].map(formatInteger);
  return (
    <Card title={title}>
      <div className="flex flex-col gap-4">
        <p role="status" className="tabular-nums">
          <Trans>
            {madeText} of {allText} created
          </Trans>
        </p>
        {!isRunning && failed > 0 && onRetry !== undefined && (
          <Alert tone="warn" title={t`${failedText} could not be created`}>
            <Button size="sm" className="mt-2" onClick={onRetry}>
              <Trans>Retry</Trans>
            </Button>
          </Alert>
        )}
        {made > 0 && warning !== undefined && <Alert tone="info" title={warning} />}
        <SmallTable label={t`Result`} words={[t`Name`, secretName]} height="max-h-[60dvh]">
          <tbody>
            {entries.map((entry) => (
              <BatchRow key={entry.name} {...entry} />
            ))}
          </tbody>
        </SmallTable>
        <div className="flex flex-wrap gap-2">
          <Button
            variant="primary"
            disabled={made === 0}
            icon={outcome === "copied" ? <Check /> : <Copy />}
            onClick={(event) => void copy(formatBatchText(entries), event.currentTarget)}
          >
            {outcome === "copied"
              ? t`Copied!`
              : outcome === "selected"
                ? t`Selected: press Ctrl+C to copy`
                : t`Copy all`}
          </Button>
          <Button
            disabled={made === 0}
            icon={<Download />}
            onClick={() =>
              saveFile(fileName, "text/csv", [readBatchCsv([t`Name`, secretName], entries)])
            }
          >
            <Trans>Save as CSV</Trans>
          </Button>
          {!isRunning && listTo !== undefined && (
            <ButtonLink to={listTo}>
              <Trans>Done</Trans>
            </ButtonLink>
          )}
        </div>
      </div>
    </Card>
  );
}

function BatchRow({ name, secret, failure }: BatchEntry) {
  return (
    <tr className="border-line border-t align-top">
      <td className="px-3 py-1.5 [overflow-wrap:anywhere]">{name}</td>
      <td className="px-3 py-1.5">
        {failure !== undefined ? (
          <span className="text-bad">{failure}</span>
        ) : secret === undefined ? (
          <span className="text-muted">
            <Trans>waits</Trans>
          </span>
        ) : (
          <code className="break-all font-mono">{secret}</code>
        )}
      </td>
    </tr>
  );
}
