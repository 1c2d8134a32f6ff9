import { Trans } from "@lingui/react/macro";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { Alert } from "./alert.tsx";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";

type ConfirmProps = {
  open: boolean;
  /** Names the thing. */
  title: ReactNode;
  /** Asks in the words of the specification. */
  question: ReactNode;
  confirmLabel: ReactNode;
  /** Runs while the dialog waits; what it throws is shown here, and the dialog stays. */
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
};

/** Asks once before something that cannot be taken back. The way out has the focus, not the verb. */
export function Confirm({ open, title, question, confirmLabel, onConfirm, onClose }: ConfirmProps) {
  const cancel = useRef<HTMLButtonElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Error>();
  useEffect(() => {
    if (open) cancel.current?.focus();
    else setFailure(undefined);
  }, [open]);

  const confirm = async () => {
    setBusy(true);
    setFailure(undefined);
    try {
      await onConfirm();
      onClose();
      // What asked may be gone with the thing itself, and the focus with it.
      setTimeout(() => {
        if (document.activeElement === document.body) document.querySelector("main")?.focus({ preventScroll: true });
      });
    } catch (error) {
      setFailure(error instanceof Error ? error : new Error(String(error)));
    }
    setBusy(false);
  };

  // Out of the row or form that asks, whose text style and events it must not take part in.
  return createPortal(
    <Dialog
      open={open}
      onClose={onClose}
      locked={isBusy}
      title={title}
      footer={
        <>
          <Button ref={cancel} onClick={onClose} disabled={isBusy}>
            <Trans>Cancel</Trans>
          </Button>
          <Button variant="danger" busy={isBusy} onClick={() => void confirm()}>
            {confirmLabel}
          </Button>
        </>
      }
    >
      <p className="[overflow-wrap:anywhere]">{question}</p>
      {failure !== undefined && (
        <div className="mt-4">
          <Alert title={failure.message} requestId={requestIdOf(failure)} />
        </div>
      )}
    </Dialog>,
    document.body,
  );
}

function requestIdOf(error: Error): string | undefined {
  return "requestId" in error && typeof error.requestId === "string" ? error.requestId : undefined;
}
