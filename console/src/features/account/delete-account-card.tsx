import { Trans, useLingui } from "@lingui/react/macro";
import { useNavigate } from "@tanstack/react-router";
import { deleteSelf, deleteSelfByPost } from "@tollgate/contract/accounts.ts";
import { useState } from "react";
import { api } from "../../api.ts";
import { signOut } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { useProof } from "./use-proof.tsx";

export function DeleteAccountCard({ username }: { username: string }) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const [asking, setAsking] = useState(false);
  const { proved, dialog } = useProof();
  const leave = async () => {
    await proved((proof) => (proof === undefined ? api.call(deleteSelf) : api.call(deleteSelfByPost, { body: proof })));
    signOut();
    await navigate({ to: "/login", replace: true, state: { message: t`Your account is deleted.`, tone: "good" } });
  };
  return (
    <Card
      title={<Trans>Delete account</Trans>}
      note={<Trans>Your tokens stop working and what is left of your quota is lost.</Trans>}
    >
      <Button onClick={() => setAsking(true)}>
        <Trans>Delete Account</Trans>
      </Button>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={<Trans>Delete {username}</Trans>}
        question={<Trans>Delete your own account for good? This action cannot be undone.</Trans>}
        verb={<Trans>Delete Account</Trans>}
        onConfirm={leave}
      />
      {dialog}
    </Card>
  );
}
