import { Trans } from "@lingui/react/macro";
import { Dialog } from "../../ui/menu/dialog.tsx";
import type { CreatedKey } from "./created-key.ts";
import { UseKey } from "./use-key.tsx";

export function UseKeyDialog({
  token: { name, key, models },
  onClose,
}: {
  token: CreatedKey;
  onClose: () => void;
}) {
  return (
    <Dialog open onClose={onClose} width="lg" title={<Trans>Use this key</Trans>}>
      <UseKey name={name} apiKey={key} models={models} />
    </Dialog>
  );
}
