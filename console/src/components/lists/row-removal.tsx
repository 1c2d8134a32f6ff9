import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import type { Endpoint } from "@tollgate/contract/endpoint.ts";
import type { byId } from "@tollgate/contract/ids.ts";
import { Trash } from "lucide-react";
import { type ReactNode, useState } from "react";
import { api } from "../api-queries.ts";
import { type EntityIds, entityRef } from "../compat/entity-ids.ts";
import { Confirm } from "../ui/confirm.tsx";
import { MenuItem } from "../ui/menu.tsx";
import { toast } from "../ui/toast.tsx";

type RowRemovalOptions = {
  endpoint: Endpoint & { params: typeof byId };
  refreshes: readonly Endpoint[];
  row: EntityIds;
  name: string;
  question: ReactNode;
};

/** The menu item of a row that deletes it, and the confirmation. */
export function useRowRemoval({ endpoint, refreshes, row, name, question }: RowRemovalOptions) {
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
      confirmLabel={<Trans>Delete</Trans>}
      onConfirm={async () => {
        await remove.mutateAsync({ params: { id: entityRef(row) } });
        toast(t`${name} is deleted`);
      }}
    />
  );
  return { item, dialog };
}
