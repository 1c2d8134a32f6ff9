/** Sets tasks for proof of work. Each answer is accepted once, by all nodes together. */
import { randomBytes } from "node:crypto";
import { proofOfWorkHeader } from "@tollgate/contract/accounts/proof-of-work.ts";
import type { Counters } from "../limits/counters.ts";
import { type Refusal, refuse } from "./refusal.ts";
import type { RequestContext } from "./request-context.ts";
import { rateLimitSource } from "./request-head.ts";
import { findCheckedWork, type WorkPurpose, workChallenge, workLifetimeMs } from "./work-rules.ts";

interface WorkDemandDeps {
  key: Uint8Array;
  counters: Counters;
}

export type WorkDemand = ReturnType<typeof createWorkDemand>;

const nonceBytes = 16;

export function createWorkDemand({ key, counters }: WorkDemandDeps) {
  return {
    /**
     * `isDone` says whether the call has an answer that is worth these zero bits, which from now on
     * is used.
     */
    async isDone(
      purpose: WorkPurpose,
      bits: number,
      { headers, address, now }: RequestContext,
    ): Promise<boolean> {
      const answer = headers.get(proofOfWorkHeader);
      const subject = { purpose, source: rateLimitSource(address) };
      const used =
        answer === null ? undefined : findCheckedWork(key, subject, answer, { bits, now });
      if (used === undefined) return false;
      return (await counters.take({ name: `work ${used}`, limit: 1, windowMs: workLifetimeMs }))
        .allowed;
    },

    /** The refusal that holds a task. */
    task(purpose: WorkPurpose, bits: number, { address, now }: RequestContext): Refusal {
      const nonce = randomBytes(nonceBytes).toString("base64url");
      const challenge = workChallenge(
        key,
        { purpose, source: rateLimitSource(address) },
        { bits, nonce, now },
      );
      return refuse("proof_of_work_required", { data: { challenge, bits } });
    },
  };
}
