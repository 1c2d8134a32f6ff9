import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { getInvitationCode } from "@tollgate/contract/accounts/accounts.ts";
import { useState } from "react";
import { findRequestId, readReason } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { readSiteAddress } from "../../site-path.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Input } from "../../ui/form/input.tsx";

/** The server creates the code on first request, so opening the page must not request it. */
export function InvitationCard({ code }: { code: string }) {
  const { t } = useLingui();
  const [isRequested, setRequested] = useState(code !== "");
  const invitation = useQuery({
    ...api.query(getInvitationCode),
    enabled: isRequested && code === "",
  });
  const knownCode = code === "" ? invitation.data?.data : code;
  const link =
    knownCode === undefined
      ? ""
      : `${readSiteAddress()}/register?aff=${encodeURIComponent(knownCode)}`;
  return (
    <Card
      title={<Trans>Invitation link</Trans>}
      note={<Trans>Users who register through it are recorded as invited by you.</Trans>}
    >
      {invitation.error !== null ? (
        <Alert
          title={readReason(invitation.error, t`The invitation link could not be created`)}
          requestId={findRequestId(invitation.error)}
          onRetry={() => void invitation.refetch()}
          retrying={invitation.isFetching}
        />
      ) : link === "" ? (
        <Button busy={invitation.isFetching} onClick={() => setRequested(true)}>
          <Trans>Create invitation link</Trans>
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
