import { Trans } from "@lingui/react/macro";
import { Alert } from "../../ui/alert.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";

/** A secret that was just made and cannot be read again. */
export function ShownOnce({ secret, copyLabel }: { secret: string; copyLabel: string }) {
  return (
    <Alert tone="good" title={<Trans>Shown only once</Trans>} className="self-stretch">
      <p>
        <Trans>Copy it now; it is not shown again.</Trans>
      </p>
      <p className="flex items-center gap-1">
        <code className="break-all font-mono">{secret}</code>
        <CopyButton text={secret} label={copyLabel} />
      </p>
    </Alert>
  );
}
