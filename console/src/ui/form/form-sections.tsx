import { useLingui } from "@lingui/react/macro";
import { useNavigate } from "@tanstack/react-router";
import clsx from "clsx";
import type { MouseEvent, ReactNode } from "react";
import { useSectionInView } from "./section-in-view.ts";

export type FormSectionLink = { id: string; title: string };

type FormSectionProps = { id: string; title: string; help?: ReactNode; children: ReactNode };

/** A titled section of a form, divided from the others by a hairline. */
export function FormSection({ id, title, help, children }: FormSectionProps) {
  return (
    <section
      aria-labelledby={`${id}-title`}
      tabIndex={-1}
      className="-mx-4 flex scroll-mt-20 flex-col gap-5 border-line px-4 outline-none not-first:border-t not-first:pt-5"
      id={id}
    >
      <div>
        <h2 id={`${id}-title`} className="font-semibold text-lg">
          {title}
        </h2>
        {help !== undefined && <p className="text-muted text-sm">{help}</p>}
      </div>
      {children}
    </section>
  );
}

type FormSectionNavProps = {
  targets: readonly FormSectionLink[];
  /** Gives each section an address, which can be passed on. */
  hasAddresses?: boolean;
  /** `onFollow` is called before the jump. */
  onFollow?: () => void;
};

/** Links to the sections of a long form, with a mark at the one that is read. */
export function FormSectionNav({ targets, hasAddresses = false, onFollow }: FormSectionNavProps) {
  const { t } = useLingui();
  const current = useSectionInView(targets.map(({ id }) => id));
  const navigate = useNavigate();
  const follow = (event: MouseEvent, id: string) => {
    // Another tab or window opens the address.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    onFollow?.();
    jumpToSection(id);
    void navigate({ to: ".", hash: id, replace: true, resetScroll: false });
  };
  return (
    <nav aria-label={t`Sections of this form`}>
      <ul className="flex flex-col border-line border-l">
        {targets.map(({ id, title }) => {
          const shared = {
            "aria-current": id === current ? ("true" as const) : undefined,
            className: clsx(
              "-ml-px block w-full border-l py-1 pl-3 text-left text-sm no-underline hover:border-accent hover:text-ink",
              id === current ? "border-accent text-ink" : "border-transparent text-muted",
            ),
          };
          return (
            <li key={id}>
              {hasAddresses ? (
                // Not the router's link: it calls every section of the page shown the current one.
                <a
                  href={`${location.pathname}#${id}`}
                  onClick={(event) => follow(event, id)}
                  {...shared}
                >
                  {title}
                </a>
              ) : (
                <button type="button" onClick={() => jumpToSection(id)} {...shared}>
                  {title}
                </button>
              )}
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

export function jumpToSection(id: string) {
  const section = document.getElementById(id);
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  section?.scrollIntoView({ behavior: isStill ? "auto" : "smooth", block: "start" });
  section?.focus({ preventScroll: true });
}
