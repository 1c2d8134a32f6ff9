import { Trans } from "@lingui/react/macro";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/menu/dialog.tsx";
import { CreatedCodesButtons, CreatedCodesList } from "./created-codes.tsx";
import type { CreatedCodes } from "./use-code-creation.ts";

/** Shows new codes, to copy or download. */
export function RedemptionCodesDialog({
  created,
  onClose,
}: {
  created: CreatedCodes;
  onClose: () => void;
}) {
  const { name } = created;
  return (
    <Dialog
      open
      onClose={onClose}
      title={<Trans>Codes of {name}</Trans>}
      footer={
        <>
          <CreatedCodesButtons {...created} />
          <Button variant="primary" onClick={onClose}>
            <Trans>Done</Trans>
          </Button>
        </>
      }
    >
      <CreatedCodesList {...created} />
    </Dialog>
  );
}
