/**
 * A refusal: an expected error with a code of the contract, thrown where it is decided and turned
 * into a reply in one place.
 */
import { buildMeaning, type ErrorCode } from "@tollgate/contract/api/errors.ts";

export interface RefusalDetails {
  /** Replaces the message of the code where the case can say more. */
  message?: string;
  /** Message per field. */
  fields?: Record<string, string>;
  /** Seconds to wait. */
  retryAfter?: number;
  /** Goes under `data`. */
  data?: unknown;
  /** Members beside `data`. */
  extras?: Record<string, unknown>;
  headers?: Record<string, string>;
}

export class Refusal extends Error {
  readonly code: ErrorCode;
  readonly details: RefusalDetails;
  constructor(code: ErrorCode, details: RefusalDetails = {}) {
    super(details.message ?? buildMeaning(code).message);
    this.code = code;
    this.details = details;
  }
}

export const refuse = (code: ErrorCode, details?: RefusalDetails): Refusal =>
  new Refusal(code, details);
