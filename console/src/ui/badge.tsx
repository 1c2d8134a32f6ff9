import clsx from "clsx";
import type { ReactNode } from "react";

export type BadgeTone = "good" | "warn" | "bad" | "info" | "neutral";

const tones: Record<BadgeTone, string> = {
  good: "bg-good-soft text-good",
  warn: "bg-warn-soft text-warn",
  bad: "bg-bad-soft text-bad",
  info: "bg-info-soft text-info",
  neutral: "bg-sunken text-muted",
};

/** A dot and a word: the meaning never depends on the colour alone. */
export function Badge({
  tone = "neutral",
  children,
  title,
}: {
  tone?: BadgeTone;
  children: ReactNode;
  title?: string | undefined;
}) {
  return (
    <span
      title={title}
      className={clsx(
        "inline-flex h-5 items-center gap-1.5 whitespace-nowrap rounded-full px-2 font-medium text-xs",
        "before:size-1.5 before:rounded-full before:bg-current",
        tones[tone],
      )}
    >
      {children}
    </span>
  );
}
