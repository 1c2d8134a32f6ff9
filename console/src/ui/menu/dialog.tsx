import { useLingui } from "@lingui/react/macro";
import clsx from "clsx";
import { X } from "lucide-react";
import {
  type MouseEvent,
  type PointerEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useRef,
} from "react";
import { IconButton } from "../icon-button.tsx";
import { PartBoundary } from "../part-boundary.tsx";

type DialogProps = {
  open: boolean;
  /** Called by Escape, a click on the backdrop, and the close button. */
  onClose: () => void;
  title: ReactNode;
  children: ReactNode;
  /** The buttons; the primary one last. */
  footer?: ReactNode;
  width?: "sm" | "md" | "lg" | "xl";
  /** Prevents closing while an action runs. */
  locked?: boolean;
  /** Something was typed: only a button closes the dialog, neither Escape nor a click beside it. */
  keepsInput?: boolean;
};

const widths = { sm: "max-w-md", md: "max-w-xl", lg: "max-w-3xl", xl: "max-w-5xl" };

/**
 * The native modal dialog, which takes no text settings from the table cell or the line that it
 * stands in, traps and restores the focus and closes on Escape.
 */
export function Dialog({
  open,
  onClose,
  title,
  children,
  footer,
  width = "sm",
  locked = false,
  keepsInput = false,
}: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  const { t } = useLingui();
  useModal(ref, open);
  const backdrop = useBackdropClick(() => locked || keepsInput || onClose());
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (!locked && !keepsInput) onClose();
      }}
      {...backdrop}
      className={clsx(
        "m-auto max-h-[calc(100dvh-32px)] w-[calc(100vw-32px)] whitespace-normal rounded-lg bg-raised p-0 text-start shadow-float backdrop:bg-scrim open:animate-[rise-in_150ms]",
        widths[width],
      )}
    >
      {open && (
        <div className="flex max-h-[calc(100dvh-32px)] flex-col">
          <div className="flex items-center justify-between gap-4 border-line border-b py-2 pr-2 pl-5">
            <h2 id={id} className="min-w-0 truncate font-semibold text-lg">
              {title}
            </h2>
            <IconButton
              label={t`Close`}
              icon={<X />}
              onClick={onClose}
              disabled={locked}
              tooltip={false}
            />
          </div>
          <div className="min-h-0 overflow-y-auto px-5 py-4">
            <PartBoundary>{children}</PartBoundary>
          </div>
          {footer !== undefined && (
            <div className="flex flex-wrap justify-end gap-2 border-line border-t px-5 py-3">
              <PartBoundary>{footer}</PartBoundary>
            </div>
          )}
        </div>
      )}
    </dialog>
  );
}

/**
 * Opens and closes the native dialog with the state; the style sheet stops the page behind it from
 * scrolling.
 */
export function useModal(ref: RefObject<HTMLDialogElement | null>, open: boolean) {
  useEffect(() => {
    const dialog = ref.current;
    if (!open || dialog === null) return;
    const before = document.activeElement;
    const root = document.documentElement;
    root.style.setProperty("--scrollbar", `${window.innerWidth - root.clientWidth}px`);
    dialog.showModal();
    return () => {
      dialog.close();
      // The browser restores the focus too, but not to an opener that was focused by a closed menu.
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, [open, ref]);
}

/**
 * Ignores a press that starts inside the dialog, such as a text selection, and ends on the
 * backdrop.
 */
export function useBackdropClick(onBackdropClick: () => void) {
  const startedOnBackdrop = useRef(false);
  return {
    onPointerDown: (event: PointerEvent<HTMLDialogElement>) => {
      startedOnBackdrop.current = event.target === event.currentTarget;
    },
    onClick: (event: MouseEvent<HTMLDialogElement>) => {
      if (startedOnBackdrop.current && event.target === event.currentTarget) onBackdropClick();
    },
  };
}
