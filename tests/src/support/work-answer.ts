/** Does the proof of work that a refusal asks for. */
import { createHash } from "node:crypto";
import { proofOfWorkHeader } from "@tollgate/contract/accounts/proof-of-work.ts";
import { computeLeadingZeroBits } from "@tollgate/gateway/http/work-rules.ts";

/** The header with the answer. */
export function answerTo({
  challenge,
  bits,
}: {
  challenge: string;
  bits: number;
}): Record<string, string> {
  for (let number = 0; ; number += 1) {
    const answer = `${challenge}.${number}`;
    const hash = createHash("sha256").update(answer).digest();
    if (computeLeadingZeroBits(hash) >= bits) return { [proofOfWorkHeader]: answer };
  }
}
