import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { Button } from "../../ui/button.tsx";
import { toastError } from "../toast-failure.ts";
import { toastToggled } from "./toast-toggled.ts";

type ItemToggleProps = {
  name: string;
  isEnabled: boolean;
  /** False where enabling does not bring back what disabling ends, or needs more than a press. */
  canUndo?: boolean;
  onToggle: (isEnabled: boolean) => Promise<unknown>;
};

/** The button among `ItemActions` that enables or disables the row. */
export function ItemToggle({ name, isEnabled, canUndo = true, onToggle }: ItemToggleProps) {
  const { t } = useLingui();
  const toggle = useMutation({
    mutationFn: (enables: boolean) => onToggle(enables),
    // By then the row is as the server has it, so what was asked for says what was done.
    onSuccess: (_, enables) =>
      toastToggled(name, enables, canUndo ? () => onToggle(true) : undefined),
    onError: toastError,
  });
  return (
    <Button
      size="sm"
      busy={toggle.isPending}
      aria-label={isEnabled ? t`Disable ${name}` : t`Enable ${name}`}
      onClick={() => toggle.mutate(!isEnabled)}
    >
      {isEnabled ? <Trans>Disable</Trans> : <Trans>Enable</Trans>}
    </Button>
  );
}
