import { Trans } from "@lingui/react/macro";
import { Download } from "lucide-react";
import { formatSystemName, useSession } from "../../session.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { useCopy } from "../../ui/copy-button.tsx";
import { saveText } from "../../ui/save-file.ts";

export function RecoveryCodesPanel({
  codes,
  onDone,
}: {
  codes: readonly string[];
  onDone: () => void;
}) {
  const { status, user } = useSession();
  const { outcome, copy } = useCopy();
  const text = codes.join("\n");
  const heading = `${formatSystemName(status)} · ${user?.username ?? ""}`;
  return (
    <div className="flex flex-col gap-4">
      <Alert tone="warn" title={<Trans>These codes are shown only once</Trans>}>
        <Trans>
          Each code works once, for when you cannot use the app. Store them apart from your
          password.
        </Trans>
      </Alert>
      <pre className="rounded-md sm:columns-2 bg-sunken p-3 text-center font-mono">{text}</pre>
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={(event) => void copy(text, event.currentTarget)}>
          {outcome === "copied" ? (
            <Trans>Copied!</Trans>
          ) : outcome === "selected" ? (
            <Trans>Selected: press Ctrl+C to copy</Trans>
          ) : (
            <Trans>Copy all</Trans>
          )}
        </Button>
        <Button
          icon={<Download />}
          onClick={() => saveText("recovery-codes.txt", `${heading}\n\n${text}\n`)}
        >
          <Trans>Download</Trans>
        </Button>
        <Button variant="primary" onClick={onDone}>
          <Trans>I have saved them</Trans>
        </Button>
      </div>
    </div>
  );
}
