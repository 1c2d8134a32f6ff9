import { Trans } from "@lingui/react/macro";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { Alert } from "../alert.tsx";
import { Button } from "../button.tsx";
import { Dialog } from "./dialog.tsx";

type ConfirmProps = {
  open: boolean;
  /** Names the entity. */
  title: ReactNode;
  /** The question in the wording of the specification. */
  question: ReactNode;
  /** `loss` tells, below the question, the things that will be lost. */
  loss?: ReactNode;
  confirmLabel: ReactNode;
  /** Primary for a question before something that can be taken back. */
  variant?: "danger" | "primary";
  /** The dialog stays open while it runs, and shows what it throws. */
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
};

/** Asks before an action, usually one that cannot be undone. The Cancel button has the focus. */
export function Confirm({
  open,
  title,
  question,
  loss,
  confirmLabel,
  variant = "danger",
  onConfirm,
  onClose,
}: ConfirmProps) {
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
      // The element that had the focus may be gone together with the deleted entity.
      setTimeout(() => {
        if (document.activeElement === document.body)
          document.querySelector("main")?.focus({ preventScroll: true });
      });
    } catch (error) {
      setFailure(error instanceof Error ? error : new Error(String(error)));
    }
    setBusy(false);
  };

  // A portal, because the row or form around it would pass on its text style and events.
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
          <Button variant={variant} busy={isBusy} onClick={() => void confirm()}>
            {confirmLabel}
          </Button>
        </>
      }
    >
      <p className="[overflow-wrap:anywhere]">{question}</p>
      {loss !== undefined && <div className="mt-3 text-muted [overflow-wrap:anywhere]">{loss}</div>}
      {failure !== undefined && (
        <div className="mt-4">
          <Alert title={failure.message} requestId={findRequestId(failure)} />
        </div>
      )}
    </Dialog>,
    document.body,
  );
}

function findRequestId(error: Error): string | undefined {
  return "requestId" in error && typeof error.requestId === "string" ? error.requestId : undefined;
}
