import type { ReactNode } from "react";
import { Card } from "./card.tsx";

type FigureProps = {
  label: ReactNode;
  note?: ReactNode;
  /** The figure that the page is opened for: one at most. */
  isMain?: boolean;
  children: ReactNode;
};

/** `Figure` is one number of a page, with its name above it. */
export function Figure({ label, note, isMain = false, children }: FigureProps) {
  const size = isMain ? "text-accent text-xl" : "text-xl max-sm:text-base";
  return (
    <Card className="h-full">
      <dl className="flex flex-col gap-0.5">
        <dt className="font-medium text-muted text-xs">{label}</dt>
        {/* A moment is longer than an amount, and breaks between day and hour. */}
        <dd
          className={`font-semibold tabular-nums [overflow-wrap:anywhere] [&_time]:whitespace-normal [&_time]:text-base ${size}`}
        >
          {children}
        </dd>
        {note !== undefined && note !== false && <dd className="text-muted text-xs">{note}</dd>}
      </dl>
    </Card>
  );
}

/** `Figures` are those of a page, in a row of equal heights. */
export const Figures = ({ children }: { children: ReactNode }) => (
  <div className="grid grid-cols-2 gap-4 max-sm:gap-3 lg:grid-cols-4">{children}</div>
);
