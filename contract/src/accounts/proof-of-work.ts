/**
 * Proof of work: before it answers a stranger where guessing or flooding pays, the server may ask
 * for a number whose search costs the caller some time. It needs no service of another company, and
 * no person solves anything. A refusal with the code `proof_of_work_required` holds `challenge` and
 * `bits` under `data`.
 */

/**
 * Carries the answer: the challenge, a dot, and a decimal number, whose SHA-256 begins with as many
 * zero bits as were asked for.
 */
export const proofOfWorkHeader = "X-Proof-Of-Work";

/** 4 million hashes on average: a phone takes some ten seconds for them. */
export const proofOfWorkBitsMax = 22;
