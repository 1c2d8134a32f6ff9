import type { MessageDescriptor } from "@lingui/core";
import { Trans, useLingui } from "@lingui/react/macro";
import { useLocation } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
import { FormLoading } from "../../components/forms/form-loading.tsx";
import type { OptionSection } from "../../components/settings/option-sections.ts";
import { isRoot, useSession } from "../../session.ts";
import { Alert } from "../../ui/alert.tsx";
import {
  type FormSectionLink,
  FormSectionNav,
  jumpToSection,
} from "../../ui/form/form-sections.tsx";
import { nameSection, OptionForm } from "./option-form.tsx";
import { isOffered, useOptions } from "./use-options.ts";

type OptionTabProps = {
  sections: readonly OptionSection[];
  /** What stands below the sections and is saved by itself. */
  parts?: readonly OptionTabPart[];
};

export type OptionTabPart = {
  /** Its place on the page, in addresses. */
  id: string;
  /** Its name in the list of sections; undefined for one that not every server has. */
  title: MessageDescriptor | undefined;
  part: ReactNode;
};

/** Shows an explanation instead of making a call that the role forbids. */
export function OptionTab(props: OptionTabProps) {
  const { user } = useSession();
  return isRoot(user) ? <LoadedOptionTab {...props} /> : <OptionsNotAllowed />;
}

/**
 * The sections one below the other, so that they are read in the order in which they stand, and
 * links to them at the left.
 */
function LoadedOptionTab({ sections, parts = [] }: OptionTabProps) {
  const { t } = useLingui();
  const options = useOptions();
  usePlaceOfAddress(options.data !== undefined);
  if (options.data === undefined)
    return <FormLoading source={options} text={t`Loading...`} fields={5} />;
  if (options.data.values.size === 0) return <OptionsNotAllowed />;
  const stored = options.data;
  const shown = sections
    .map((section) => ({
      ...section,
      fields: section.fields.filter(({ key }) => isOffered(key, stored)),
    }))
    .filter(({ fields }) => fields.length > 0);
  const targets = [...shown, ...parts].flatMap(({ id, title }) =>
    title === undefined ? [] : [{ id: nameSection(id), title: t(title) }],
  );
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[12rem_minmax(0,1fr)]">
      <div className="sticky top-20 max-lg:hidden">
        <FormSectionNav targets={targets} hasAddresses />
      </div>
      <SectionList targets={targets} />
      <div className="flex min-w-0 max-w-5xl flex-col gap-4">
        <OptionForm sections={shown} stored={stored} />
        {parts.map(({ id, part }) => (
          <section
            key={id}
            id={nameSection(id)}
            tabIndex={-1}
            className="scroll-mt-32 outline-none empty:hidden lg:scroll-mt-20"
          >
            {part}
          </section>
        ))}
      </div>
    </div>
  );
}

/** `SectionList` stays in sight on narrow screens, and closes over the section that is chosen. */
function SectionList({ targets }: { targets: readonly FormSectionLink[] }) {
  const box = useRef<HTMLDetailsElement>(null);
  return (
    <details
      ref={box}
      className="sticky top-16 z-20 rounded-lg border border-line bg-card open:shadow-lg lg:hidden"
    >
      <summary className="px-4 py-2.5 font-medium">
        <Trans>Sections</Trans>
      </summary>
      <div className="px-4 pb-3">
        <FormSectionNav
          targets={targets}
          hasAddresses
          onFollow={() => {
            if (box.current !== null) box.current.open = false;
          }}
        />
      </div>
    </details>
  );
}

/** Goes to the field or section that the address names behind its #, once it is there. */
function usePlaceOfAddress(isThere: boolean) {
  const { hash } = useLocation();
  useEffect(() => {
    if (!isThere || hash === "") return;
    const field = document.getElementById(`option-${hash}`);
    if (field === null) jumpToSection(hash);
    field?.scrollIntoView({ block: "center" });
    field
      ?.querySelector<HTMLElement>("input, textarea, select, button")
      ?.focus({ preventScroll: true });
  }, [hash, isThere]);
}

export const OptionsNotAllowed = () => (
  <Alert tone="warn" title={<Trans>No settings to show: insufficient permissions</Trans>}>
    <Trans>Only super administrators can change them.</Trans>
  </Alert>
);
