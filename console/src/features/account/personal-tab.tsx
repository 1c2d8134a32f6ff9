import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import {
  deleteSelf,
  deleteSelfByPost,
  getInvitationCode,
} from "@tollgate/contract/accounts/accounts.ts";
import { getSelf } from "@tollgate/contract/accounts/sessions.ts";
import { Children, type ReactNode, useState } from "react";
import { findRequestId, readReason } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { FormLoading } from "../../components/forms/form-loading.tsx";
import { hasFeature, isRoot, signOut, useSession } from "../../session.ts";
import { useReauth } from "../../shell/use-reauth.tsx";
import { readSiteAddress } from "../../site-path.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Input } from "../../ui/form/input.tsx";
import { Confirm } from "../../ui/menu/confirm.tsx";
import { PartBoundary } from "../../ui/part-boundary.tsx";
import { AccessTokenCard } from "./access-token-card.tsx";
import { BindingsCard } from "./bindings-card.tsx";
import { PasskeysCard } from "./passkeys-card.tsx";
import { PasswordCard } from "./password-card.tsx";
import { ProfileCard } from "./profile-card.tsx";
import { SecondFactorCard } from "./second-factor-card.tsx";
import { SessionListCard } from "./session-list-card.tsx";

export function PersonalTab() {
  const { t } = useLingui();
  const self = useQuery({ ...api.query(getSelf), gcTime: 0, refetchOnReconnect: false });
  if (self.data === undefined) return <FormLoading source={self} text={t`Loading...`} fields={3} />;
  const user = self.data.data;
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <Column>
        {/* What is typed there stays when the password changes. */}
        <ProfileCard
          key={JSON.stringify([user.username, user.display_name, user.email])}
          user={user}
        />
        <PasswordCard />
        <BindingsCard />
        <InvitationCard code={user.aff_code} />
      </Column>
      <Column>
        <PasskeysCard />
        <SecondFactorCard />
        <SessionListCard />
        <NoticesCard />
        <TeamsCard />
        <AccessTokenCard known={user.access_token} />
        {!isRoot(user) && <DeleteAccountCard username={user.username} />}
      </Column>
    </div>
  );
}

/** Cards that fail alone, also in what they do before they draw their box. */
const Column = ({ children }: { children: ReactNode }) => (
  <div className="flex min-w-0 flex-col gap-4">
    {Children.map(children, (card) => (
      <PartBoundary>{card}</PartBoundary>
    ))}
  </div>
);

/** Leads to where the user is told of what is theirs. */
function NoticesCard() {
  const { status } = useSession();
  if (!hasFeature(status, "own_notices")) return null;
  return (
    <Card
      title={<Trans>Notices</Trans>}
      note={<Trans>By mail, webhook, Telegram or ntfy: low balance, expiring keys, budgets.</Trans>}
    >
      <ButtonLink to="/settings/notices" className="self-start">
        <Trans>Choose where you get notices</Trans>
      </ButtonLink>
    </Card>
  );
}

/** Leads to the teams of the user. */
function TeamsCard() {
  const { status } = useSession();
  if (!hasFeature(status, "teams")) return null;
  return (
    <Card
      title={<Trans>Teams</Trans>}
      note={<Trans>People who share a balance, with API keys that it pays for.</Trans>}
    >
      <ButtonLink to="/teams" className="self-start">
        <Trans>Your teams</Trans>
      </ButtonLink>
    </Card>
  );
}

function DeleteAccountCard({ username }: { username: string }) {
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

/** The server creates the code on first request, so opening the page must not request it. */
function InvitationCard({ code }: { code: string }) {
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
