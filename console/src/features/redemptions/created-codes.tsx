import { Trans, useLingui } from "@lingui/react/macro";
import { Check, Copy, Download } from "lucide-react";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { useCopy } from "../../ui/copy-button.tsx";
import { formatInteger } from "../../ui/format.ts";
import { saveText } from "../../ui/save-file.ts";
import { formatCodesFileName } from "./redemption-screen-rules.ts";
import type { CreatedCodes } from "./use-code-creation.ts";

/** Says how many codes there are, and lists them. */
export function CreatedCodesList({ codes, failure }: CreatedCodes) {
  const { t } = useLingui();
  const count = formatInteger(codes.length);
  return (
    <div className="flex flex-col gap-4">
      {failure === undefined ? (
        <p role="status">
          {codes.length === 1 ? t`1 code is ready.` : t`${count} codes are ready.`}
        </p>
      ) : (
        <Alert title={t`Not all codes were made: ${count} are here`} requestId={failure.requestId}>
          {failure.reason}
        </Alert>
      )}
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it may scroll, and then the keyboard must reach it
        tabIndex={0}
        className="max-h-64 overflow-y-auto rounded-md bg-sunken p-3 font-mono text-sm"
      >
        {codes.join("\n")}
      </pre>
    </div>
  );
}

export function CreatedCodesButtons({ name, codes }: CreatedCodes) {
  const { t } = useLingui();
  const { outcome, copy } = useCopy();
  const text = codes.join("\n");
  return (
    <>
      <Button icon={<Download />} onClick={() => saveText(formatCodesFileName(name), `${text}\n`)}>
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
    </>
  );
}
