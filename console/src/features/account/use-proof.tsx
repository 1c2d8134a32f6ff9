import { getSelf } from "@tollgate/contract/sessions.ts";
import { getTotpStatus } from "@tollgate/contract/totp.ts";
import { useState } from "react";
import { api } from "../../api.ts";
import { codeOf, reasonOf } from "../../api-error.ts";
import { ProofDialog, type Ways } from "./proof-dialog.tsx";

export type Proof = { current_password?: string; totp_code?: string };

type Asking = { ways: Ways; prove: (proof: Proof) => Promise<void>; failed: (error: unknown) => void };

/** What is wrong with the proof itself; everything else is about what was to be done. */
const proofRefusals = new Set([
  "reauth_required",
  "current_password_wrong",
  "sign_in_locked",
  "totp_invalid",
  "totp_tries_over",
  "too_many_requests",
]);

/**
 * Makes a call; where the server wants to know again who it is, asks for the password or a code and makes the call with
 * it. Without `byCode` it must be the password: where the call carries a code of its own, which works only once.
 */
export function useProof({ byCode = true } = {}) {
  const [asking, setAsking] = useState<Asking>();

  const proved = async <T,>(call: (proof?: Proof) => Promise<T>): Promise<T> => {
    try {
      return await call();
    } catch (error) {
      if (codeOf(error) !== "reauth_required") throw error;
      const ways = await waysToProve(byCode);
      return await new Promise<T>((done, failed) => {
        setAsking({ ways, prove: async (proof) => done(await call(proof)), failed });
      });
    }
  };

  /** Answers what is wrong with the proof. */
  const prove = async ({ prove: act, failed }: Asking, proof: Proof): Promise<string | null> => {
    try {
      await act(proof);
    } catch (error) {
      if (proofRefusals.has(codeOf(error)) && (byCode || codeOf(error) !== "totp_invalid")) return reasonOf(error, "");
      failed(error);
    }
    setAsking(undefined);
    return null;
  };

  const giveUp = ({ failed }: Asking, reason: string) => {
    setAsking(undefined);
    failed(new Error(reason));
  };

  return {
    proved,
    dialog: asking !== undefined && (
      <ProofDialog
        ways={asking.ways}
        onProve={(proof) => prove(asking, proof)}
        onGiveUp={(reason) => giveUp(asking, reason)}
      />
    ),
  };
}

/** Servers of other make do not tell: there every account has a password. */
async function waysToProve(byCode: boolean): Promise<Ways> {
  const [self, factor] = await Promise.allSettled([api.call(getSelf), byCode ? api.call(getTotpStatus) : undefined]);
  return {
    password: self.status === "rejected" || self.value.data.has_password !== false,
    code: factor.status === "fulfilled" && factor.value?.data.totp_enabled === true,
  };
}
