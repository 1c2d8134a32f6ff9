import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { readInvitation } from "@tollgate/contract/accounts/team-invitations.ts";
import { useState } from "react";
import { findRequestId, readReason } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { keepCode, readCode } from "../../components/teams/kept-invitation.ts";
import { useSession } from "../../session.ts";
import { Alert } from "../../ui/alert.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Page } from "../../ui/page.tsx";
import { LoadingStatus, Skeleton } from "../../ui/skeleton.tsx";
import { InvitationAnswer } from "./invitation-answer.tsx";
import { InvitationMeaning } from "./invitation-words.tsx";

/** `InvitationPage` is the page to which the link of an invitation leads. */
export function InvitationPage() {
  const { t } = useLingui();
  const { user, status } = useSession();
  const [code] = useState(() => readCode(window.location.hash));
  return (
    <Page title={t`Invitation into a team`}>
      <Card className="max-w-xl">
        {code === "" ? (
          <p>
            <Trans>
              This link is not complete. Open it again from the mail, or ask for a new invitation.
            </Trans>
          </p>
        ) : user === null ? (
          <>
            <p className="mb-3">
              <Trans>Sign in to see the invitation and to answer it.</Trans>
            </p>
            <p className="flex flex-wrap gap-2">
              <ButtonLink
                variant="primary"
                to="/login"
                search={{ redirect_to: "/invitation" } as never}
                onClick={() => keepCode(code)}
              >
                <Trans>Sign In</Trans>
              </ButtonLink>
              {(status.password_register !== false || status.invites_register === true) && (
                <ButtonLink to="/register" onClick={() => keepCode(code)}>
                  <Trans>Create Account</Trans>
                </ButtonLink>
              )}
            </p>
          </>
        ) : (
          <OpenInvitation code={code} />
        )}
      </Card>
    </Page>
  );
}

function OpenInvitation({ code }: { code: string }) {
  const { t } = useLingui();
  const found = useQuery({
    queryKey: ["invitation", code],
    queryFn: ({ signal }) => api.call(readInvitation, { body: { code }, signal }),
    gcTime: 0,
  });
  const invitation = found.data?.data;
  if (found.error !== null)
    return (
      <Alert
        title={t`The invitation could not be opened`}
        requestId={findRequestId(found.error)}
        onRetry={() => void found.refetch()}
        retrying={found.isFetching}
      >
        {readReason(found.error, "")}
      </Alert>
    );
  if (invitation === undefined)
    return (
      <>
        <LoadingStatus />
        <Skeleton className="h-24" />
      </>
    );
  const { team_name, invited_by, role } = invitation;
  return (
    <div className="flex flex-col gap-3">
      <h2 dir="auto" className="font-semibold text-lg [overflow-wrap:anywhere]">
        {team_name}
      </h2>
      <p>
        <Trans>{invited_by} invites you into this team.</Trans> <InvitationMeaning role={role} />
      </p>
      <p className="text-muted text-sm">
        <Trans>The people of a team share a balance. Your own balance and keys stay yours.</Trans>
      </p>
      <InvitationAnswer invitation={invitation} code={code} />
    </div>
  );
}
