import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { getSelf } from "@tollgate/contract/accounts/sessions.ts";
import { Children, type ReactNode } from "react";
import { api } from "../../api-queries.ts";
import { FormLoading } from "../../components/forms/form-loading.tsx";
import { isRoot } from "../../session.ts";
import { PartBoundary } from "../../ui/part-boundary.tsx";
import { AccessTokenCard } from "./access-token-card.tsx";
import { BindingsCard } from "./bindings-card.tsx";
import { DeleteAccountCard } from "./delete-account-card.tsx";
import { InvitationCard } from "./invitation-card.tsx";
import { NoticesCard } from "./notices-card.tsx";
import { PasskeysCard } from "./passkeys-card.tsx";
import { PasswordCard } from "./password-card.tsx";
import { ProfileCard } from "./profile-card.tsx";
import { SecondFactorCard } from "./second-factor-card.tsx";
import { SessionListCard } from "./session-list-card.tsx";
import { TeamsCard } from "./teams-card.tsx";

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
