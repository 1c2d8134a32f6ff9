/** Composes the run of an import from the stores that it writes to: for the command, and for the imports of the console. */
import { channelKeyStore } from "./channels/channel-key-store.ts";
import { channelStore } from "./channels/channel-store.ts";
import { oidcProviderStore } from "./identity/oidc/oidc-provider-store.ts";
import { userStore } from "./identity/users/user-store.ts";
import type { ImportRun } from "./import/import-run.ts";
import { importStore } from "./import/import-store.ts";
import { createSourcePresence } from "./import/source-presence.ts";
import { virtualModelStore } from "./models/virtual-model-store.ts";
import { redemptionStore } from "./redemptions/redemption-store.ts";
import { optionStore } from "./settings/option-store.ts";
import { shadowStore } from "./shadow/shadow-store.ts";
import type { Database } from "./storage/database.ts";
import { tokenStore } from "./tokens/token-store.ts";

type ImportRunInput = Pick<
  ImportRun,
  "seal" | "source" | "report" | "isPlan" | "logsSinceMs" | "keepRoot" | "actor" | "now"
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
  seen: { userSourceIds: new Set(), groups: new Set(), oidcAccounts: undefined, presence: createSourcePresence() },
  imported: importStore(db, name),
  users: userStore(db),
  tokens: tokenStore(db),
  channels: channelStore(db),
  channelKeys: channelKeyStore(db),
  virtualModels: virtualModelStore(db),
  redemptions: redemptionStore(db),
  options: optionStore(db),
  oidcProviders: oidcProviderStore(db),
  shadow: shadowStore(db),
});
