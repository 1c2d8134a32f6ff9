import { Trans, useLingui } from "@lingui/react/macro";
import { Check, Copy, Download } from "lucide-react";
import { reasonOf, requestIdOf } from "../../api-error.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { useCopy } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { formatInteger } from "../../ui/format.ts";
import { saveText } from "../../ui/save-file.ts";
import { codesFileName } from "./redemption-screen-rules.ts";

/** `error` is set when fewer codes were created than requested. */
export type GeneratedCodes = { name: string; codes: readonly string[]; error?: unknown };

/** Shows new codes, to copy or download. */
export function RedemptionCodesDialog({
  generated: { name, codes, error },
  onClose,
}: {
  generated: GeneratedCodes;
  onClose: () => void;
}) {
  const { t } = useLingui();
  const { outcome, copy } = useCopy();
  const text = codes.join("\n");
  const count = formatInteger(codes.length);
  return (
    <Dialog
      open
      onClose={onClose}
      title={<Trans>Codes of {name}</Trans>}
      footer={
        <>
          <Button icon={<Download />} onClick={() => saveText(codesFileName(name), `${text}\n`)}>
            <Trans>Download</Trans>
          </Button>
          <Button
            icon={outcome === "copied" ? <Check className="text-good" /> : <Copy />}
            onClick={(event) => void copy(text, event.currentTarget)}
          >
            {outcome === "copied"
              ? t`Copied!`
              : outcome === "selected"
                ? t`Selected: press Ctrl+C to copy`
                : t`Copy all`}
          </Button>
          <Button variant="primary" onClick={onClose}>
            <Trans>Done</Trans>
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {error === undefined ? (
          <p role="status">{codes.length === 1 ? t`1 code is ready.` : t`${count} codes are ready.`}</p>
        ) : (
          <Alert title={t`Not all codes were made: ${count} are here`} requestId={requestIdOf(error)}>
            {reasonOf(error, t`Operation failed`)}
          </Alert>
        )}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it may scroll, and then the keyboard must reach it */}
        <pre tabIndex={0} className="max-h-64 overflow-y-auto rounded-md bg-sunken p-3 font-mono text-sm">
          {text}
        </pre>
      </div>
    </Dialog>
  );
}
