import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import type { Endpoint } from "@tollgate/contract/endpoint.ts";
import { Ban, CircleCheck } from "lucide-react";
import type { ApiCallOptions, ApiInput } from "../api-call.ts";
import { api } from "../api-queries.ts";
import { MenuItem } from "../ui/menu.tsx";
import { toast } from "../ui/toast.tsx";
import { toastError } from "./toast-failure.ts";
import { toggledStatus } from "./toggled-status.ts";

type StatusToggleOptions<E extends Endpoint> = {
  endpoint: E;
  refreshes: readonly Endpoint[];
  name: string;
  status: number;
  input: (status: 1 | 2) => ApiInput<E> & ApiCallOptions;
};

/** The menu item of a row that enables or disables it. */
export function useStatusToggle<E extends Endpoint>({
  endpoint,
  refreshes,
  name,
  status,
  input,
}: StatusToggleOptions<E>) {
  const { t } = useLingui();
  const next = toggledStatus(status);
  const enables = next === 1;
  const { mutationFn, ...whenDone } = api.mutation(endpoint, { refreshes });
  const { mutate, isPending } = useMutation({ mutationFn: () => mutationFn(input(next)), ...whenDone });
  const toggle = () =>
    mutate(undefined, {
      onSuccess: () => toast(enables ? t`${name} is enabled` : t`${name} is disabled`),
      onError: toastError,
    });
  const item = (isRefused = false) => (
    <MenuItem icon={enables ? <CircleCheck /> : <Ban />} disabled={isPending || isRefused} onSelect={toggle}>
      {enables ? <Trans>Enable</Trans> : <Trans>Disable</Trans>}
    </MenuItem>
  );
  return { isPending, item };
}
