import { t } from "@lingui/core/macro";
import { reasonOf, requestIdOf } from "../api-error.ts";
import { toast } from "../ui/toast.tsx";

/** For what was asked for in passing, such as an action of a row: the reason, and the number to quote. */
export function toastError(error: unknown) {
  toast(reasonOf(error, t`Operation failed`), { tone: "bad", detail: requestIdOf(error) });
}
