import { t } from "@lingui/core/macro";
import { toast } from "../../ui/toast.tsx";
import { toastError } from "../toast-failure.ts";

/**
 * Tells that the named thing is enabled or disabled now. What was disabled, Undo enables again by
 * `enable`, where that can restore it.
 */
export function toastToggled(name: string, isEnabled: boolean, enable?: () => Promise<unknown>) {
  if (isEnabled) return toast(t`${name} is enabled`);
  toast(t`${name} is disabled`, {
    undo: enable && (() => void enable().then(() => toast(t`${name} is enabled`), toastError)),
  });
}
