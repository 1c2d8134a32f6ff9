import { Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/menu/confirm.tsx";

type ItemDeleteProps = { name: string; question: ReactNode; onDelete: () => Promise<unknown> };

/** The button among `ItemActions` that deletes the row, and its confirmation. */
export function ItemDelete({ name, question, onDelete }: ItemDeleteProps) {
  const { t } = useLingui();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        size="sm"
        variant="ghost"
        aria-label={t`Delete ${name}`}
        onClick={() => setOpen(true)}
      >
        <Trans>Delete</Trans>
      </Button>
      <Confirm
        open={isOpen}
        onClose={() => setOpen(false)}
        title={t`Delete ${name}`}
        question={question}
        confirmLabel={<Trans>Delete</Trans>}
        onConfirm={onDelete}
      />
    </>
  );
}
