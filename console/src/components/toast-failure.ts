import { t } from "@lingui/core/macro";
import { findRequestId, readReason } from "../api-error.ts";
import { toast } from "../ui/toast.tsx";

/**
 * Shows the failure of an action that has no place of its own on the page, such as a row action.
 */
export function toastError(error: unknown) {
  toast(readReason(error, t`Operation failed`), { tone: "bad", detail: findRequestId(error) });
}
