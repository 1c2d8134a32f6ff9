import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import type { Endpoint } from "@tollgate/contract/api/endpoint.ts";
import type { byId } from "@tollgate/contract/api/ids.ts";
import { Trash } from "lucide-react";
import { type ReactNode, useState } from "react";
import { api } from "../../api-queries.ts";
import { type EntityIds, readEntityRef } from "../../compat/entity-ids.ts";
import { Confirm } from "../../ui/menu/confirm.tsx";
import { MenuItem } from "../../ui/menu/menu.tsx";
import { toast } from "../../ui/toast.tsx";

type RowRemovalOptions = {
  endpoint: Endpoint & { params: typeof byId };
  refreshes: readonly Endpoint[];
  row: EntityIds;
  name: string;
  question: ReactNode;
  /** Drawn when the question is asked: what will be lost. */
  loss?: () => ReactNode;
};

/** The menu item of a row that deletes it, and the confirmation. */
export function useRowRemoval({
  endpoint,
  refreshes,
  row,
  name,
  question,
  loss,
}: RowRemovalOptions) {
  const { t } = useLingui();
  const [isOpen, setOpen] = useState(false);
  const remove = useMutation(api.mutation(endpoint, { refreshes }));
  const item = (
    <MenuItem icon={<Trash />} tone="bad" onSelect={() => setOpen(true)}>
      <Trans>Delete</Trans>
    </MenuItem>
  );
  const dialog = isOpen && (
    <Confirm
      open
      onClose={() => setOpen(false)}
      title={t`Delete ${name}`}
      question={question}
      loss={loss?.()}
      confirmLabel={<Trans>Delete</Trans>}
      onConfirm={async () => {
        await remove.mutateAsync({ params: { id: readEntityRef(row) } });
        toast(t`${name} is deleted`);
      }}
    />
  );
  return { item, dialog };
}
