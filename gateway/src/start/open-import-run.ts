/**
 * Composes the run of an import from the stores that it writes to: for the command, and for the
 * imports of the console.
 */

import { createBudgetStore } from "../accounts/budgets/budget-store.ts";
import { createOidcProviderStore } from "../accounts/identity/oidc/oidc-provider-store.ts";
import { createUserStore } from "../accounts/identity/users/user-store.ts";
import { createRedemptionStore } from "../accounts/redemptions/redemption-store.ts";
import { createTeamStore } from "../accounts/teams/team-store.ts";
import { createTokenStore } from "../accounts/tokens/token-store.ts";
import { createChannelKeyStore } from "../catalogue/channels/channel-key-store.ts";
import { createChannelStore } from "../catalogue/channels/channel-store.ts";
import { createVirtualModelStore } from "../catalogue/models/virtual-model-store.ts";
import type { ImportRun } from "../commands/import/import-run.ts";
import { importStore } from "../commands/import/import-store.ts";
import { createSourcePresence } from "../commands/import/source-presence.ts";
import { createShadowStore } from "../figures/shadow/shadow-store.ts";
import { createOptionStore } from "../settings/option-store.ts";
import type { Database } from "../storage/database.ts";

type ImportRunInput = Pick<
  ImportRun,
  | "seal"
  | "source"
  | "report"
  | "isPlan"
  | "logsSinceMs"
  | "keepRoot"
  | "privateHosts"
  | "actor"
  | "now"
> &
  Partial<Pick<ImportRun, "followedDeletions" | "isCutOver">> & {
    /** The operator's name for the other system. */
    name: string;
  };

export const composeImportRun = (
  db: Database,
  { name, followedDeletions, isCutOver = false, ...given }: ImportRunInput,
): ImportRun => ({
  ...given,
  followedDeletions,
  isCutOver,
  db,
  sourceName: name,
  seen: {
    userSourceIds: new Set(),
    groups: new Set(),
    oidcAccounts: undefined,
    presence: createSourcePresence(),
  },
  imported: importStore(db, name),
  users: createUserStore(db),
  teams: createTeamStore(db),
  budgets: createBudgetStore(db),
  tokens: createTokenStore(db),
  channels: createChannelStore(db),
  channelKeys: createChannelKeyStore(db),
  virtualModels: createVirtualModelStore(db),
  redemptions: createRedemptionStore(db),
  options: createOptionStore(db),
  oidcProviders: createOidcProviderStore(db),
  shadow: createShadowStore(db),
});
