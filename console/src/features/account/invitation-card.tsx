import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { getInvitationCode } from "@tollgate/contract/accounts.ts";
import { useState } from "react";
import { api } from "../../api.ts";
import { reasonOf, requestIdOf } from "../../api-error.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Input } from "../../ui/input.tsx";

/** The code is made when it is asked for, so looking at the page asks for none. */
export function InvitationCard({ code }: { code: string }) {
  const { t } = useLingui();
  const [wanted, setWanted] = useState(code !== "");
  const asked = useQuery({ ...api.query(getInvitationCode), enabled: wanted && code === "" });
  const known = code === "" ? asked.data?.data : code;
  const link = known === undefined ? "" : `${location.origin}/register?aff=${encodeURIComponent(known)}`;
  return (
    <Card
      title={<Trans>Invitation link</Trans>}
      note={<Trans>Whoever registers through it is recorded as invited by you.</Trans>}
    >
      {asked.error !== null ? (
        <Alert
          title={reasonOf(asked.error, t`The invitation link could not be made`)}
          requestId={requestIdOf(asked.error)}
          onRetry={() => void asked.refetch()}
          retrying={asked.isFetching}
        />
      ) : link === "" ? (
        <Button busy={asked.isFetching} onClick={() => setWanted(true)}>
          <Trans>Create Invitation Link</Trans>
        </Button>
      ) : (
        <div className="flex items-center gap-1">
          <Input
            readOnly
            value={link}
            aria-label={t`Invitation link`}
            className="font-mono text-sm!"
            onFocus={(event) => event.target.select()}
          />
          <CopyButton text={link} label={t`Copy invitation link`} />
        </div>
      )}
    </Card>
  );
}
