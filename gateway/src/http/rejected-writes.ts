/**
 * The one place that turns a rejected write into a refusal, by the code of its statement
 * (`Write.missed`, `Write.conflict`).
 */
import type { ErrorCode } from "@tollgate/contract/api/errors.ts";
import { RejectedWrite } from "../storage/database.ts";
import { type Refusal, type RefusalDetails, refuse } from "./refusal.ts";

/** Details that a code always carries. */
const details: Partial<Record<ErrorCode, RefusalDetails>> = {
  email_taken: { fields: { email: "This mail address belongs to another account" } },
  external_id_taken: { fields: { external_id: "Another one has this external_id already" } },
  verification_code_invalid: {
    fields: { verification_code: "The verification code is incorrect or has expired" },
  },
  username_taken: { fields: { username: "This username is already taken" } },
};

export const refuseRefusalWithDetails = (code: ErrorCode): Refusal => refuse(code, details[code]);

/** The refusal for a rejected write; any other error unchanged. */
export const buildRefusal = (error: unknown): unknown =>
  error instanceof RejectedWrite && error.code !== undefined
    ? refuseRefusalWithDetails(error.code)
    : error;
