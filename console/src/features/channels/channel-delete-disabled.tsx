import { Trans } from "@lingui/react/macro";
import { Trash } from "lucide-react";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { buildLazyPart } from "../../ui/lazy-part.tsx";

const Dialog = buildLazyPart(
  async () => (await import("./channel-delete-disabled-dialog.tsx")).DeleteDisabledDialog,
);

export function DeleteDisabledChannels() {
  const [isConfirming, setConfirming] = useState(false);
  return (
    <>
      <Button icon={<Trash />} onClick={() => setConfirming(true)}>
        <Trans>Delete Disabled</Trans>
      </Button>
      {isConfirming && <Dialog onClose={() => setConfirming(false)} />}
    </>
  );
}
