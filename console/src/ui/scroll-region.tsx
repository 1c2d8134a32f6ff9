import type { ReactNode } from "react";

type ScrollRegionProps = { label: string; className: string; children: ReactNode };

/**
 * A part of a page that scrolls by itself: the keyboard reaches it, and assistive tools name it.
 */
export function ScrollRegion({ label, className, children }: ScrollRegionProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section aria-label={label} tabIndex={0} className={className}>
      {children}
    </section>
  );
}
