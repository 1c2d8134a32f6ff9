import { Trans, useLingui } from "@lingui/react/macro";
import type { Token } from "@tollgate/contract/accounts/tokens.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/menu/dialog.tsx";

/** The only time the key is shown, so neither Escape nor a click outside closes the dialog. */
export function NewKeyDialog({
  token: { name, key },
  onDone,
}: {
  token: Token;
  onDone: () => void;
}) {
  const { t } = useLingui();
  return (
    <Dialog
      open
      locked
      onClose={onDone}
      title={<Trans>Key of {name}</Trans>}
      footer={
        <Button variant="primary" onClick={onDone}>
          <Trans>Done</Trans>
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        <p>
          <Trans>Copy the key now: it is shown only this once.</Trans>
        </p>
        <p className="flex items-center gap-1 rounded-md bg-sunken py-2 pr-2 pl-3">
          <code className="min-w-0 flex-1 break-all font-mono text-sm">{key}</code>
          <CopyButton text={key} label={t`Copy key`} />
        </p>
      </div>
    </Dialog>
  );
}
