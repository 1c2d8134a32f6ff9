import { Trans, useLingui } from "@lingui/react/macro";
import clsx from "clsx";
import { CircleCheck, Info, TriangleAlert, X } from "lucide-react";
import { type ReactNode, useSyncExternalStore } from "react";
import { Button } from "./button.tsx";
import { IconButton } from "./icon-button.tsx";

type ToastTone = "good" | "bad" | "info";
type ToastOptions = {
  tone?: ToastTone;
  detail?: ReactNode;
  /** Takes back what the message tells; called at most once. */
  undo?: (() => void) | undefined;
};
type ToastEntry = ToastOptions & { id: number; tone: ToastTone; text: ReactNode };

const dismissAfterMs = { good: 4_000, info: 5_000, bad: 10_000 };
/** `dismissUndoAfterMs` is the time to read the message, to decide, and to get to the button. */
const dismissUndoAfterMs = 12_000;
/** A message stays while the pointer or the focus is on it; then it is looked at again. */
const dismissRetryMs = 2_000;
const shownMax = 4;
let entries: readonly ToastEntry[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function change(next: readonly ToastEntry[]) {
  entries = next;
  for (const listener of listeners) listener();
}

/** Shows a message about something that has no place on the page. */
export function toast(text: ReactNode, { tone = "good", detail, undo }: ToastOptions = {}) {
  const id = ++lastId;
  change([...entries, { id, tone, text, detail, undo }].slice(-shownMax));
  setTimeout(
    () => dismissWhenLeft(id),
    undo === undefined ? dismissAfterMs[tone] : dismissUndoAfterMs,
  );
}

function dismissWhenLeft(id: number) {
  const shown = document.querySelector(`[data-toast="${id}"]`);
  if (shown?.matches(":hover, :focus-within") === true)
    setTimeout(() => dismissWhenLeft(id), dismissRetryMs);
  else dismissToast(id);
}

export function dismissToast(id: number) {
  change(entries.filter((entry) => entry.id !== id));
}

const icons = { good: CircleCheck, bad: TriangleAlert, info: Info };
const colours = { good: "text-good", bad: "text-bad", info: "text-info" };

/** Mounted once, at the bottom, where it does not cover the navigation. */
export function ToastRegion() {
  const { t } = useLingui();
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => entries,
  );
  return (
    <section
      aria-label={t`Notifications`}
      aria-live="polite"
      className="pointer-events-none fixed right-0 bottom-0 z-50 flex w-full max-w-sm flex-col gap-2 p-4 print:hidden"
    >
      {shown.map((entry) => {
        const Icon = icons[entry.tone];
        return (
          <div
            key={entry.id}
            data-toast={entry.id}
            className="pointer-events-auto flex animate-[rise-in_150ms] items-start gap-3 rounded-lg bg-raised py-2 pr-2 pl-4 shadow-float"
          >
            <Icon
              aria-hidden="true"
              className={clsx("mt-2 size-4 shrink-0", colours[entry.tone])}
            />
            <div className="min-w-0 grow py-1.5 [overflow-wrap:anywhere]">
              {entry.text}
              {entry.detail !== undefined && (
                <div className="text-muted text-sm">{entry.detail}</div>
              )}
            </div>
            {entry.undo !== undefined && (
              <Button
                size="sm"
                onClick={() => {
                  dismissToast(entry.id);
                  entry.undo?.();
                }}
              >
                <Trans>Undo</Trans>
              </Button>
            )}
            <IconButton
              label={t`Dismiss`}
              icon={<X />}
              size="sm"
              onClick={() => dismissToast(entry.id)}
              tooltip={false}
            />
          </div>
        );
      })}
    </section>
  );
}
