/** Asks strangers for proof of work, as the operator's setting says. Each answer is accepted once, by all nodes together. */
import { randomBytes } from "node:crypto";
import { proofOfWorkHeader } from "@tollgate/contract/proof-of-work.ts";
import type { Counters } from "../limits/counters.ts";
import { refuse } from "./refusal.ts";
import type { RequestContext } from "./request-context.ts";
import { rateLimitSource } from "./request-head.ts";
import { checkedWork, type WorkPurpose, workChallenge, workLifetimeMs } from "./work-rules.ts";

interface WorkDemandDeps {
  key: Uint8Array;
  counters: Counters;
  /** What the operator asks for; 0 for nothing. */
  bitsAsked(): number;
}

export type RequireWork = ReturnType<typeof createWorkDemand>;

const nonceBytes = 16;

export function createWorkDemand({ key, counters, bitsAsked }: WorkDemandDeps) {
  return {
    isOn: (): boolean => bitsAsked() > 0,

    /** Refuses a stranger's call without an answer; the refusal holds the challenge. */
    async of(purpose: WorkPurpose, { principal, headers, address, now }: RequestContext): Promise<void> {
      const bits = bitsAsked();
      if (bits === 0 || principal) return;
      const subject = { purpose, source: rateLimitSource(address) };
      const answer = headers.get(proofOfWorkHeader);
      const used = answer === null ? undefined : checkedWork(key, subject, answer, { bits, now });
      if (used !== undefined) {
        const isFirst = await counters.take({ name: `work ${used}`, limit: 1, windowMs: workLifetimeMs });
        if (isFirst.allowed) return;
      }
      const nonce = randomBytes(nonceBytes).toString("base64url");
      const challenge = workChallenge(key, subject, { bits, nonce, now });
      throw refuse("proof_of_work_required", { data: { challenge, bits } });
    },
  };
}
