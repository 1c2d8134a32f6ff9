/**
 * Checks codes of the second factor. Attempts are few, each code works once, and the database
 * decides races.
 */

import { enforceLimit } from "../../../http/rate-limit.ts";
import { type Refusal, refuse } from "../../../http/refusal.ts";
import type { RequestContext } from "../../../http/request-context.ts";
import type { Counters } from "../../../limits/counters.ts";
import type { Sealer } from "../../../secrets/seal.ts";
import { type Database, tryWrite, type Write } from "../../../storage/database.ts";
import type { Lockout } from "../lockouts/lockout.ts";
import { hashRecoveryCode } from "./recovery-codes.ts";
import { findMatchingStep } from "./totp-code.ts";
import type { SecondFactor, TotpStore } from "./totp-store.ts";

const onePerSecond = { limit: 1, windowMs: 1_000 };
/** Attempts before the password is required again. */
const challenge = { attemptsMax: 5, lifetimeMs: 5 * 60_000 } as const;

/** The owner of the factor; the uuid binds the encrypted seed to its row. */
interface FactorOwner {
  id: number;
  uuid: string;
}

export interface SecondFactorInput {
  totp_code?: string | undefined;
  recovery_code?: string | undefined;
}

interface SecondFactorDeps {
  db: Database;
  store: TotpStore;
  seal: Sealer;
  counters: Counters;
  /**
   * The password starts a new challenge, so an attacker who knows it and guesses codes must wait
   * longer and longer.
   */
  lockout: Lockout;
}

export const seedPurpose = "totp-seed";
export const composeSeedContext = (userUuid: string) =>
  `second_factors/secret_sealed/${userUuid}` as const;

export type SecondFactorCheck = ReturnType<typeof createSecondFactor>;

export function createSecondFactor({ db, store, seal, counters, lockout }: SecondFactorDeps) {
  /** `beginAttempt` takes at most one code per second, for any purpose. */
  const beginAttempt = async ({ id }: FactorOwner, now: number): Promise<void> => {
    const locked = await lockout.wait(String(id), now);
    if (locked > 0) throw refuse("sign_in_locked", { retryAfter: locked });
    await enforceLimit(counters, { ...onePerSecond, name: `totp ${id}` });
  };

  const seedOf = (factor: SecondFactor, { uuid }: FactorOwner) =>
    Buffer.from(seal.open(seedPurpose, composeSeedContext(uuid), factor.secret_sealed), "base64");

  /** The statement that consumes the code. It misses when the code was consumed before. */
  const consumeStatement = async (
    owner: FactorOwner,
    factor: SecondFactor,
    code: SecondFactorInput,
    now: number,
  ): Promise<Write> => {
    if (code.totp_code) {
      const step = findMatchingStep(seedOf(factor, owner), code.totp_code, now);
      if (step !== undefined) return store.useStep(factor, step);
      await lockout.failed(String(owner.id), now);
      throw refuseWrongCode(code);
    }
    return store.useRecoveryCode(owner.id, hashRecoveryCode(code.recovery_code ?? ""));
  };

  /** The refusal for a correct password without a code. */
  const startChallenge = async ({ id }: FactorOwner, now: number): Promise<Refusal> => {
    await db.write([store.challenge(id, now)]);
    return refuse("totp_required", { data: { totp_required: true } });
  };

  return {
    /** The enabled factor of the user. */
    async of(userId: number): Promise<SecondFactor | undefined> {
      const factor = await store.find(userId);
      return factor?.enabled_at == null ? undefined : factor;
    },

    beginAttempt,
    seedOf,

    startChallenge,

    /**
     * Writes for an account without a factor, such as a new session. Refused when a factor was
     * enabled at the same moment.
     */
    async writeWithoutFactor(
      owner: FactorOwner,
      now: number,
      purpose: readonly Write[],
    ): Promise<void> {
      const rejected = await tryWrite(db, [...store.requireNoFactor(owner.id), ...purpose]);
      if (rejected?.code === "totp_required") throw await startChallenge(owner, now);
      if (rejected) throw rejected;
    },

    /** Consumes the code and writes `purpose` in the same transaction: both or neither. */
    async use(
      owner: FactorOwner,
      factor: SecondFactor,
      code: SecondFactorInput,
      call: RequestContext,
      purpose: readonly Write[],
    ): Promise<void> {
      const { now } = call;
      await beginAttempt(owner, now);
      await db.write(store.countAttempt(owner.id, now, challenge));
      const consume = await consumeStatement(owner, factor, code, now);
      const recovered = code.totp_code
        ? []
        : [
            // An accepted code of either kind ends the challenge.
            store.challenge(owner.id, now),
            ...call.audit("totp.use_recovery_code", owner.uuid, {}, owner.id),
          ];
      const rejected = await tryWrite(db, [consume, ...purpose, ...recovered]);
      if (rejected?.code === consume.missed) {
        if (!code.totp_code) await lockout.failed(String(owner.id), now);
        throw refuseWrongCode(code);
      }
      if (rejected) throw rejected;
      await lockout.succeeded(String(owner.id));
    },
  };
}

/** `totp_required` keeps the console on the form for codes. */
const refuseWrongCode = ({ totp_code }: SecondFactorInput): Refusal =>
  refuse(totp_code ? "totp_invalid" : "recovery_code_invalid", { data: { totp_required: true } });
