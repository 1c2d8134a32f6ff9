import { useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";

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

/** Links to the sections of a long form. */
export function FormSectionNav({ targets }: { targets: readonly FormSectionLink[] }) {
  const { t } = useLingui();
  return (
    <nav aria-label={t`Sections of this form`}>
      <ul className="flex flex-col border-line border-l">
        {targets.map(({ id, title }) => (
          <li key={id}>
            <button
              type="button"
              onClick={() => jumpToSection(id)}
              className="-ml-px w-full border-transparent border-l py-1 pl-3 text-left text-muted text-sm hover:border-accent hover:text-ink"
            >
              {title}
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function jumpToSection(id: string) {
  const section = document.getElementById(id);
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  section?.scrollIntoView({ behavior: isStill ? "auto" : "smooth", block: "start" });
  section?.focus({ preventScroll: true });
}
