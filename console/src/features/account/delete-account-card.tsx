import { Trans, useLingui } from "@lingui/react/macro";
import { useNavigate } from "@tanstack/react-router";
import { deleteSelf, deleteSelfByPost } from "@tollgate/contract/accounts/accounts.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { signOut } from "../../session.ts";
import { useReauth } from "../../shell/use-reauth.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Confirm } from "../../ui/menu/confirm.tsx";

export function DeleteAccountCard({ username }: { username: string }) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const [isConfirming, setConfirming] = useState(false);
  const { withReauth, dialog } = useReauth();
  const deleteAccount = async () => {
    await withReauth((credentials) =>
      credentials === undefined
        ? api.call(deleteSelf)
        : api.call(deleteSelfByPost, { body: credentials }),
    );
    signOut();
    await navigate({
      to: "/login",
      replace: true,
      state: { message: t`Your account is deleted.`, tone: "good" },
    });
  };
  return (
    <Card
      title={<Trans>Delete account</Trans>}
      note={<Trans>Your API keys stop working and the rest of your balance is lost.</Trans>}
    >
      <Button onClick={() => setConfirming(true)}>
        <Trans>Delete account</Trans>
      </Button>
      <Confirm
        open={isConfirming}
        onClose={() => setConfirming(false)}
        title={<Trans>Delete {username}</Trans>}
        question={<Trans>Delete your own account for good? This action cannot be undone.</Trans>}
        confirmLabel={<Trans>Delete account</Trans>}
        onConfirm={deleteAccount}
      />
      {dialog}
    </Card>
  );
}
