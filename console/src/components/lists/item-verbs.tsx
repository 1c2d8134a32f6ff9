import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { Ban, CircleCheck, Trash } from "lucide-react";
import { type ReactNode, useState } from "react";
import { ChangeOnly } from "../../ui/may-change.tsx";
import { Confirm } from "../../ui/menu/confirm.tsx";
import { MenuItem } from "../../ui/menu/menu.tsx";
import { toastError } from "../toast-failure.ts";
import { RowActions, RowMenu } from "./row-actions.tsx";
import { toastToggled } from "./toast-toggled.ts";

type ItemToggling = {
  isEnabled: boolean;
  /** False where enabling does not bring back what disabling ends, or needs more than a press. */
  canUndo?: boolean;
  onToggle: (isEnabled: boolean) => Promise<unknown>;
};

type ItemRemoval = { question: ReactNode; onDelete: () => Promise<unknown> };

type ItemMenuProps = {
  name: string;
  /** `more` are further items, above those that disable and delete. */
  more?: ReactNode;
  toggle?: ItemToggling | undefined;
  removal?: ItemRemoval | undefined;
};

type ItemVerbsProps = ItemMenuProps & {
  /** The verb that stays in sight. */
  primary?: ReactNode;
};

/** `ItemVerbs` are the verbs of a row in a card: the usual one in sight, the others in a menu. */
export function ItemVerbs({ primary, ...menu }: ItemVerbsProps) {
  return (
    <ChangeOnly>
      <RowActions name={menu.name} primary={primary}>
        <ItemMenu {...menu} />
      </RowActions>
    </ChangeOnly>
  );
}

function ItemMenu({ name, more, toggle, removal }: ItemMenuProps) {
  const { t } = useLingui();
  const [isDeleting, setDeleting] = useState(false);
  const isEnabled = toggle?.isEnabled ?? false;
  const toggling = useMutation({
    mutationFn: async (enables: boolean) => toggle?.onToggle(enables),
    // By then the row is as the server has it, so what was asked for says what was done.
    onSuccess: (_, enables) =>
      toastToggled(
        name,
        enables,
        toggle?.canUndo === false ? undefined : async () => toggle?.onToggle(true),
      ),
    onError: toastError,
  });
  return (
    <>
      <RowMenu isBusy={toggling.isPending}>
        {more}
        {toggle !== undefined && (
          <MenuItem
            icon={isEnabled ? <Ban /> : <CircleCheck />}
            disabled={toggling.isPending}
            onSelect={() => toggling.mutate(!isEnabled)}
          >
            {isEnabled ? <Trans>Disable</Trans> : <Trans>Enable</Trans>}
          </MenuItem>
        )}
        {removal !== undefined && (
          <MenuItem icon={<Trash />} tone="bad" onSelect={() => setDeleting(true)}>
            <Trans>Delete</Trans>
          </MenuItem>
        )}
      </RowMenu>
      {removal !== undefined && (
        <Confirm
          open={isDeleting}
          onClose={() => setDeleting(false)}
          title={t`Delete ${name}`}
          question={removal.question}
          confirmLabel={<Trans>Delete</Trans>}
          onConfirm={removal.onDelete}
        />
      )}
    </>
  );
}
