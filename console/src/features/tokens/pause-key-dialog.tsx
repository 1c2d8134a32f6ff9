import { Trans, useLingui } from "@lingui/react/macro";
import type { TokenPause } from "@tollgate/contract/accounts/tokens.ts";
import { useId, useState } from "react";
import { createPortal } from "react-dom";
import { readReason } from "../../api-error.ts";
import { toastError } from "../../components/toast-failure.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { FilterField, Input } from "../../ui/form/input.tsx";
import { Dialog } from "../../ui/menu/dialog.tsx";
import { Time } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";
import { PauseNote } from "./pause-note.tsx";

/** `reasonMax` is as long as the gateway takes. */
const reasonMax = 200;

type PauseKeyDialogProps = {
  name: string;
  /** Null for a key that is not paused, which the dialog pauses. */
  pause: TokenPause | null;
  /** Whom a pause is told. */
  told?: string | undefined;
  act: (change: { paused: boolean; pause_reason: string }) => Promise<unknown>;
  onClose: () => void;
};

/** Pauses a key with a reason, or resumes it. */
export function PauseKeyDialog({ name, pause, told, act, onClose }: PauseKeyDialogProps) {
  const { t } = useLingui();
  const [reason, setReason] = useState("");
  const [isRunning, setRunning] = useState(false);
  const [failure, setFailure] = useState("");
  const pauses = pause === null;
  const formId = useId();
  const resume = () =>
    act({ paused: false, pause_reason: "" }).then(
      () => toast(t`The key ${name} is resumed`),
      toastError,
    );
  const submit = async () => {
    setRunning(true);
    setFailure("");
    try {
      await act({ paused: pauses, pause_reason: reason.trim() });
      if (pauses) toast(t`The key ${name} is paused`, { undo: () => void resume() });
      else toast(t`The key ${name} is resumed`);
      onClose();
    } catch (error) {
      setFailure(readReason(error, t`Operation failed`));
      setRunning(false);
    }
  };
  // A portal, because the row around it would pass on its text style and events.
  return createPortal(
    <Dialog
      open
      locked={isRunning}
      keepsInput={reason !== ""}
      onClose={onClose}
      title={pauses ? t`Pause ${name}` : t`Resume ${name}`}
      footer={
        <>
          <Button onClick={onClose} disabled={isRunning}>
            <Trans>Cancel</Trans>
          </Button>
          <Button variant="primary" type="submit" form={formId} busy={isRunning}>
            {pauses ? <Trans>Pause</Trans> : <Trans>Resume</Trans>}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {pause === null ? (
          <>
            <p>
              <Trans>
                The gateway refuses calls with the key until someone resumes it, and asks clients
                not to retry.
              </Trans>
            </p>
            {told !== undefined && (
              <p>
                <Trans>{told} gets a notice.</Trans>
              </p>
            )}
            <FilterField label={t`Reason, which its callers read too (optional)`}>
              {(id) => (
                <Input
                  id={id}
                  value={reason}
                  maxLength={reasonMax}
                  onChange={(event) => setReason(event.target.value)}
                />
              )}
            </FilterField>
          </>
        ) : (
          <>
            <p className="[overflow-wrap:anywhere]">
              <Trans>
                Paused <Time seconds={pause.at / 1000} />
              </Trans>{" "}
              <PauseNote pause={pause} />
            </p>
            <p>
              <Trans>Programs that use the key can make calls again at once.</Trans>
            </p>
          </>
        )}
        {failure !== "" && <Alert title={failure} />}
      </form>
    </Dialog>,
    document.body,
  );
}
