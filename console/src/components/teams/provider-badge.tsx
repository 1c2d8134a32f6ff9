import { useLingui } from "@lingui/react/macro";
import type { TeamMember } from "@tollgate/contract/accounts/teams.ts";
import { ManagedBadge } from "../managed-badge.tsx";

/** Names the sign-in provider whose groups gave something: it is changed there alone. */
export function ProviderBadge({ provider }: { provider: TeamMember["by_provider"] }) {
  const { t } = useLingui();
  if (provider === null) return null;
  return <ManagedBadge by={provider.name || t`Single sign-on`} />;
}
