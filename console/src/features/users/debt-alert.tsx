import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { roles } from "@tollgate/contract/accounts/roles.ts";
import {
  getUser,
  listUsers,
  searchUsers,
  waiveDebt,
} from "@tollgate/contract/accounts/user-admin.ts";
import type { User } from "@tollgate/contract/accounts/users.ts";
import { useState } from "react";
import { gotNoResponse } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { toastError } from "../../components/toast-failure.ts";
import { buildQuotaStyle, useSession } from "../../session.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { formatQuota } from "../../ui/format.ts";
import { Confirm } from "../../ui/menu/confirm.tsx";
import { toast } from "../../ui/toast.tsx";

/** `DebtAlert` shows what an account owes; root may waive it. */
export function DebtAlert({ user }: { user: User }) {
  const { t } = useLingui();
  const { status, user: actor } = useSession();
  const [isAsking, setAsking] = useState(false);
  const waive = useMutation(
    api.mutation(waiveDebt, { refreshes: [getUser, listUsers, searchUsers] }),
  );
  const { username, debt = 0 } = user;
  if (debt === 0) return null;
  const owed = formatQuota(debt, buildQuotaStyle(status));
  return (
    <Alert tone="warn" title={<Trans>This account owes {owed}</Trans>} className="mb-4">
      <Trans>
        Calls cost more than its balance covered. It makes no calls until quota is added that pays
        the debt.
      </Trans>
      {(actor?.role ?? 0) >= roles.root && (
        <Button size="sm" className="mt-2" onClick={() => setAsking(true)}>
          <Trans>Waive the debt</Trans>
        </Button>
      )}
      <Confirm
        open={isAsking}
        onClose={() => setAsking(false)}
        title={t`Waive the debt of ${username}`}
        question={t`Are you sure? The site bears ${owed}, and "${username}" can make calls again.`}
        confirmLabel={t`Waive the debt`}
        onConfirm={async () => {
          await waive.mutateAsync({ params: { id: readEntityRef(user) } }).catch((error: Error) => {
            // The page is then read anew, and this dialog goes with it.
            if (gotNoResponse(error)) toastError(error);
            throw error;
          });
          toast(t`${username} owes nothing any more`);
        }}
      />
    </Alert>
  );
}
