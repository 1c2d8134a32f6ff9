import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { readSiteAddress } from "../../site-path.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/menu/dialog.tsx";
import { type CodeLanguage, codeLanguages, readCode } from "./playground-request.ts";

/** The next call as code, with a placeholder for the key. */
export function CodeDialog({
  body,
  onClose,
}: {
  body: Record<string, unknown>;
  onClose: () => void;
}) {
  const { t } = useLingui();
  const [language, setLanguage] = useState<CodeLanguage>("curl");
  const code = readCode(language, readSiteAddress(), body);
  return (
    <Dialog open onClose={onClose} width="lg" title={<Trans>Copy as code</Trans>}>
      <div className="flex min-w-0 flex-col gap-3">
        <div className="flex items-center gap-1">
          {codeLanguages.map((one) => (
            <Button
              key={one}
              size="sm"
              variant="ghost"
              aria-pressed={one === language}
              onClick={() => setLanguage(one)}
              className="aria-pressed:bg-accent-soft aria-pressed:text-accent"
            >
              {one}
            </Button>
          ))}
          <span className="ml-auto">
            <CopyButton text={code} label={t`Copy code`} />
          </span>
        </div>
        <pre
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
          tabIndex={0}
          className="max-h-[60dvh] overflow-auto rounded-md bg-sunken p-3 font-mono text-sm"
        >
          {code}
        </pre>
        <p className="text-muted text-sm">
          <Trans>
            Set API_KEY to a key of yours; the playground's own is valid for minutes only.
          </Trans>
        </p>
      </div>
    </Dialog>
  );
}
