/** Sets up, confirms and removes the second factor. */
import { randomBytes } from "node:crypto";
import type { confirmTotp, disableTotp } from "@tollgate/contract/accounts/totp.ts";
import type { BodyOf } from "@tollgate/contract/api/endpoint.ts";
import type { Reference } from "@tollgate/contract/api/ids.ts";
import { refuse } from "../../../http/refusal.ts";
import { type AuthenticatedContext, hashSession } from "../../../http/request-context.ts";
import type { Sealer } from "../../../secrets/seal.ts";
import type { Database } from "../../../storage/database.ts";
import type { Reauthenticate } from "../sessions/reauthenticate.ts";
import type { SessionStore } from "../sessions/session-store.ts";
import { hashRecoveryCode, makeRecoveryCodes } from "../totp/recovery-codes.ts";
import { composeSeedContext, type SecondFactorCheck, seedPurpose } from "../totp/second-factor.ts";
import { composeOtpauthUri, encodeBase32, findMatchingStep } from "../totp/totp-code.ts";
import type { TotpStore } from "../totp/totp-store.ts";
import { endOtherSignIns, endSignIns } from "../users/end-sign-ins.ts";
import { ownAccount } from "../users/own-account.ts";
import { checkCanManage } from "../users/user-edit-rules.ts";
import type { UserStore } from "../users/user-store.ts";

/** `seedBytes` are as RFC 4226 recommends. */
const seedBytes = 20;
/** Afterwards a seed on a screen that was left open is worth nothing. */
const setupLifetimeMs = 10 * 60_000;

export interface ChangeTotpDeps {
  db: Database;
  store: TotpStore;
  seal: Sealer;
  users: UserStore;
  secondFactor: SecondFactorCheck;
  reauthenticate: Reauthenticate;
  sessions: SessionStore;
  issuer(): string;
}

export function createTotpEditor(deps: ChangeTotpDeps) {
  const { db, store, seal, users, secondFactor, reauthenticate } = deps;

  return {
    async setUp(call: AuthenticatedContext, currentPassword?: string) {
      const account = await ownAccount(users, call.principal);
      if (await secondFactor.of(account.id)) throw refuse("totp_already_on");
      await reauthenticate(account, { current_password: currentPassword }, call);
      const seed = randomBytes(seedBytes);
      const secret_sealed = seal.seal(
        seedPurpose,
        composeSeedContext(account.uuid),
        seed.toString("base64"),
      );
      const pendingFactor = store.putPending({
        user_id: account.id,
        secret_sealed,
        created_at: call.now,
      });
      await db.write([pendingFactor]);
      return {
        secret: encodeBase32(seed),
        qr_code: composeOtpauthUri(deps.issuer(), account.username, seed),
      };
    },

    async confirm(body: BodyOf<typeof confirmTotp>, call: AuthenticatedContext) {
      const account = await ownAccount(users, call.principal);
      const factor = await store.find(account.id);
      if (factor?.enabled_at != null) throw refuse("totp_already_on");
      if (!factor || call.now - factor.created_at > setupLifetimeMs)
        throw refuse("totp_setup_required");
      await reauthenticate(account, { current_password: body.current_password }, call);
      await secondFactor.beginAttempt(account, call.now);
      const step = findMatchingStep(secondFactor.seedOf(factor, account), body.totp_code, call.now);
      if (step === undefined)
        throw refuse("totp_invalid", { fields: { totp_code: "The TOTP code is incorrect" } });
      const recovery_codes = makeRecoveryCodes();
      const batch = [
        store.lockUser(account.id),
        store.enable(factor, step, call.now),
        store.addRecoveryCodes(account.id, recovery_codes.map(hashRecoveryCode), call.now),
        ...endOtherSignIns(db, call.principal),
        deps.sessions.markSecondFactor(hashSession(call.principal)),
        ...call.audit("totp.enable", account.uuid),
      ];
      await db.write(batch, { changes: ["users"] });
      return { recovery_codes };
    },

    async disable(body: BodyOf<typeof disableTotp>, call: AuthenticatedContext): Promise<void> {
      const account = await ownAccount(users, call.principal);
      const factor = await secondFactor.of(account.id);
      if (!factor) throw refuse("totp_not_on");
      // An account without a password has nothing besides the code to reauthenticate with.
      if (account.password_hash !== "")
        await reauthenticate(account, { current_password: body.current_password }, call);
      await secondFactor.use(account, factor, body, call, [
        ...store.remove(account.id),
        ...endOtherSignIns(db, call.principal),
        ...call.audit("totp.disable", account.uuid),
      ]);
    },

    /**
     * `reset` is for a user who has lost device and recovery codes. It never removes the
     * administrator's own factor or that of a peer.
     */
    async reset(reference: Reference, call: AuthenticatedContext): Promise<void> {
      const target = await users.byReference(reference);
      if (!target) throw refuse("user_not_found");
      if (target.id === call.principal.id) throw refuse("totp_reset_own");
      checkCanManage(call.principal, target);
      const batch = [
        ...store.remove(target.id),
        ...endSignIns(db, target.id),
        ...call.audit("totp.reset", target.uuid),
      ];
      await db.write(batch, { changes: ["users"] });
    },
  };
}
