import { Link } from "@tanstack/react-router";
import clsx from "clsx";
import { type KeyboardEvent, type ReactNode, useId } from "react";
import { PartBoundary } from "./part-boundary.tsx";

export type TabLink = { to: string; label: string };

type TabsProps = {
  label: string;
  tabs: readonly TabLink[];
  /** Undefined, or the address of none of the tabs, for a page below them that has no tab. */
  current: string | undefined;
  children: ReactNode;
};

/** Tabs as links: arrows move between them, Enter opens, and each has a URL. */
export function Tabs({ label, tabs, current, children }: TabsProps) {
  const id = useId();
  const currentTab = tabs.find(({ to }) => to === current);
  const reached = currentTab ?? tabs[0];
  return (
    <div className="flex flex-col gap-4">
      <div className="overflow-x-auto border-line border-b">
        <div role="tablist" aria-label={label} className="flex gap-1" onKeyDown={focusNeighbour}>
          {tabs.map(({ to, label: tabLabel }) => (
            <Link
              key={to}
              to={to}
              activeOptions={{ exact: true }}
              role="tab"
              id={`${id}-${tabLabel}`}
              aria-selected={to === current}
              aria-controls={`${id}-panel`}
              tabIndex={to === reached?.to ? 0 : -1}
              ref={to === current ? showWhole : undefined}
              className={clsx(
                "whitespace-nowrap border-b-2 px-3 py-2 no-underline -outline-offset-2 transition-colors duration-150",
                to === current
                  ? "border-accent font-medium text-ink"
                  : "border-transparent text-muted hover:border-edge hover:text-ink",
              )}
            >
              {tabLabel}
            </Link>
          ))}
        </div>
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-label={currentTab?.label ?? label}>
        <PartBoundary key={current}>{children}</PartBoundary>
      </div>
    </div>
  );
}

/**
 * `showWhole` scrolls to the current tab, which may be outside the visible part on a narrow screen.
 */
const showWhole = (tab: HTMLElement | null) =>
  tab?.scrollIntoView({ block: "nearest", inline: "nearest" });

const tabSteps: Record<string, (at: number, last: number) => number> = {
  ArrowRight: (at, last) => (at === last ? 0 : at + 1),
  ArrowLeft: (at, last) => (at === 0 ? last : at - 1),
  Home: () => 0,
  End: (_, last) => last,
};

function focusNeighbour(event: KeyboardEvent<HTMLElement>) {
  const tabs = [...event.currentTarget.querySelectorAll<HTMLElement>('[role="tab"]')];
  const step = tabSteps[event.key];
  if (step === undefined) return;
  event.preventDefault();
  tabs[step(tabs.indexOf(document.activeElement as HTMLElement), tabs.length - 1)]?.focus();
}
