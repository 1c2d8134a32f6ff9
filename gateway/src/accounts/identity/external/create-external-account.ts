/**
 * Creates the account of a user whom only a provider has identified: without a password, and
 * without a mail address unless the provider verified it.
 */
import { randomBytes } from "node:crypto";
import type { ExternalAccountProvider } from "@tollgate/contract/accounts/external-sign-in.ts";
import { roles, userStatus } from "@tollgate/contract/accounts/roles.ts";
import { logTypes } from "@tollgate/contract/figures/logs.ts";
import { refuse } from "../../../http/refusal.ts";
import { noActor, type RequestContext } from "../../../http/request-context.ts";
import { grantWrites } from "../../../money/grant-writes.ts";
import { formatQuotaText } from "../../../money/quota-text.ts";
import type { Sealer } from "../../../secrets/seal.ts";
import type { OptionReader } from "../../../settings/live-options.ts";
import { type Database, type RejectedWrite, tryWrite } from "../../../storage/database.ts";
import { buildEventRow } from "../../../storage/event-row.ts";
import { readUuid7 } from "../../../storage/time-ids.ts";
import { planDefaultToken } from "../../tokens/default-token.ts";
import type { UserStore } from "../users/user-store.ts";
import { isReservedUsername } from "../users/username-rules.ts";
import { chooseDisplayName, chooseUsername, type ExternalIdentity } from "./external-rules.ts";
import type { ExternalAccountOwner, ExternalStore } from "./external-store.ts";

interface CreateExternalAccountDeps {
  db: Database;
  users: UserStore;
  external: ExternalStore;
  options: OptionReader;
  seal: Sealer;
}

const defaultGroup = "default";
/** The username of a person whose name at the provider gives none. */
const chooseFallbackName = (provider: ExternalAccountProvider) =>
  provider.startsWith("oidc:") ? "user" : provider;
/** The plain name first, then with a suffix of 24 random bits: a few attempts always suffice. */
const usernameAttemptsMax = 5;

export function createExternalAccountCreator({
  db,
  users,
  external,
  options,
  seal,
}: CreateExternalAccountDeps) {
  const create = async (
    provider: ExternalAccountProvider,
    identity: ExternalIdentity,
    username: string,
    deleted: ExternalAccountOwner | undefined,
    { now, audit }: RequestContext,
  ): Promise<RejectedWrite | undefined> => {
    const [uuid, walletUuid] = [readUuid7(now), readUuid7(now)];
    // An address that another account has stays with that account: it never finds one.
    const email = identity.email && !(await users.byEmail(identity.email)) ? identity.email : "";
    // A returning user got the welcome quota before.
    const quota = deleted ? 0 : options.number("QuotaForNewUser");
    const row = {
      uuid,
      username,
      display_name: chooseDisplayName(identity.displayName || identity.name, username),
      email,
      password_hash: "",
      must_change_password: 0 as const,
      role: roles.user,
      status: userStatus.enabled,
      group: defaultGroup,
      access_token_hash: null,
      created_at: now,
      updated_at: now,
    };
    const id = db.mintId();
    const content = `${formatQuotaText(quota, options)} for a new account`;
    const logRow = buildEventRow({
      id,
      type: logTypes.system,
      user_id: 0,
      username,
      quota,
      content,
      event: { code: "new_account", params: { quota } },
    });
    const user_id = db.sql.selectFrom("users").select("id").where("uuid", "=", uuid);
    const bound = { provider, external_id: identity.id, name: identity.name, created_at: now };
    const change = { username, provider, external_id: identity.id, quota };
    return tryWrite(
      db,
      [
        ...users.insertWithWallet(row, walletUuid),
        ...grantWrites(db, { id, wallet: { uuid: walletUuid }, amount: quota, at: now }),
        ...(quota === 0
          ? []
          : [{ query: db.sql.insertInto("logs").values({ ...logRow, user_id }), rows: 1 }]),
        external.bind(bound, uuid, deleted),
        ...planDefaultToken(db, seal, uuid, now),
        ...audit("external.create_user", uuid, change, noActor),
      ],
      { changes: ["users", "tokens", "budgets"] },
    );
  };

  /**
   * Returns the id of the created account, or of one that the same person created at the same
   * moment.
   */
  return async (
    provider: ExternalAccountProvider,
    identity: ExternalIdentity,
    call: RequestContext,
  ): Promise<number> => {
    if (!options.flag("RegisterEnabled")) throw refuse("external_registration_off");
    let owner = await external.ownerOf(provider, identity.id);
    for (let attempt = 0; attempt < usernameAttemptsMax; attempt += 1) {
      const suffix = attempt === 0 ? "" : randomBytes(3).toString("hex");
      const username = chooseUsername(identity.name, chooseFallbackName(provider), suffix);
      if (isReservedUsername(username)) continue;
      // Rejected when the username, or the external account, was taken meanwhile: the next attempt
      // finds out.
      await create(provider, identity, username, owner, call);
      owner = await external.ownerOf(provider, identity.id);
      if (owner && !owner.isDeleted) return owner.userId;
    }
    throw refuse("username_taken");
  };
}
