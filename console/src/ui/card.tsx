import clsx from "clsx";
import { type ReactNode, useId } from "react";
import { PartBoundary } from "./part-boundary.tsx";

type CardProps = {
  title?: ReactNode;
  note?: ReactNode;
  action?: ReactNode;
  children: ReactNode;
  className?: string | undefined;
  padded?: boolean;
  /** Only the title stands in it. */
  isBare?: boolean;
};

/** A box on a page, which fails alone; boxes are not nested. With a title it is a landmark. */
export function Card({
  title,
  note,
  action,
  children,
  className,
  padded = true,
  isBare = false,
}: CardProps) {
  const id = useId();
  const Box = title === undefined ? "div" : "section";
  return (
    <Box
      aria-labelledby={title === undefined ? undefined : id}
      className={clsx(
        "min-w-0 rounded-lg border border-line bg-card",
        padded && (isBare ? "px-4 py-1" : "p-4"),
        className,
      )}
    >
      {title !== undefined && (
        <div
          className={clsx(
            "flex flex-wrap items-start justify-between gap-x-4 gap-y-2",
            padded ? !isBare && "mb-2" : "px-4 py-3",
          )}
        >
          <div className="min-w-0 max-md:grow max-md:basis-40">
            <h2 id={id} className="py-1.5 font-semibold text-base">
              {title}
            </h2>
            {note !== undefined && <p className="text-muted text-sm">{note}</p>}
          </div>
          {action !== undefined && (
            <div className="flex min-h-8 min-w-0 items-center">
              <PartBoundary>{action}</PartBoundary>
            </div>
          )}
        </div>
      )}
      <PartBoundary>{children}</PartBoundary>
    </Box>
  );
}
