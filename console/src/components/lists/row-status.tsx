import { Trans } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import type { Endpoint } from "@tollgate/contract/api/endpoint.ts";
import { Ban, CircleCheck } from "lucide-react";
import type { ApiCallOptions, ApiInput } from "../../api-call.ts";
import { api } from "../../api-queries.ts";
import { MenuItem } from "../../ui/menu/menu.tsx";
import { toastError } from "../toast-failure.ts";
import { toastToggled } from "./toast-toggled.ts";
import { buildToggledStatus } from "./toggled-status.ts";

type StatusToggleOptions<E extends Endpoint> = {
  endpoint: E;
  refreshes: readonly Endpoint[];
  name: string;
  status: number;
  /** False where disabling also ends what enabling does not bring back. */
  canUndo?: boolean;
  input: (status: 1 | 2) => ApiInput<E> & ApiCallOptions;
};

/**
 * The menu item of a row that enables or disables it. What it disabled, it enables again by Undo.
 */
export function useStatusToggle<E extends Endpoint>({
  endpoint,
  refreshes,
  name,
  status,
  canUndo = true,
  input,
}: StatusToggleOptions<E>) {
  const next = buildToggledStatus(status);
  const enables = next === 1;
  const change = (to: 1 | 2) => api.change(endpoint, refreshes, input(to));
  const { mutate, isPending } = useMutation({ mutationFn: change });
  // Not by `mutate`: the row may be gone from the screen when Undo is pressed.
  const enableAgain = () => change(1);
  const toggle = () =>
    mutate(next, {
      onSuccess: () => toastToggled(name, enables, canUndo ? enableAgain : undefined),
      onError: toastError,
    });
  const item = (isRefused = false) => (
    <MenuItem
      icon={enables ? <CircleCheck /> : <Ban />}
      disabled={isPending || isRefused}
      onSelect={toggle}
    >
      {enables ? <Trans>Enable</Trans> : <Trans>Disable</Trans>}
    </MenuItem>
  );
  return { isPending, item };
}
