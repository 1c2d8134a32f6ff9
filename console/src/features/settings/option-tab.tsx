import { Trans, useLingui } from "@lingui/react/macro";
import { useLocation } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";
import { FormLoading } from "../../components/forms/form-loading.tsx";
import type { OptionSection } from "../../components/settings/option-sections.ts";
import { isRoot, useSession } from "../../session.ts";
import { Alert } from "../../ui/alert.tsx";
import { FormSectionNav } from "../../ui/form/form-sections.tsx";
import { nameSection, OptionForm } from "./option-form.tsx";
import { isOffered, useOptions } from "./use-options.ts";

type OptionTabProps = {
  sections: readonly OptionSection[];
  /** Cards below the sections. */
  end?: ReactNode;
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
function LoadedOptionTab({ sections, end }: OptionTabProps) {
  const { t } = useLingui();
  const options = useOptions();
  useFieldOfAddress(options.data !== undefined);
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
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[12rem_minmax(0,1fr)]">
      <div className="sticky top-20 max-lg:hidden">
        <FormSectionNav
          targets={shown.map(({ id, title }) => ({ id: nameSection(id), title: t(title) }))}
        />
      </div>
      <div className="flex min-w-0 max-w-5xl flex-col gap-4">
        <OptionForm sections={shown} stored={stored} />
        {end}
      </div>
    </div>
  );
}

/** Goes to the field that the address names behind its #, once it is there. */
function useFieldOfAddress(isThere: boolean) {
  const { hash } = useLocation();
  useEffect(() => {
    const field = isThere && hash !== "" ? document.getElementById(`option-${hash}`) : null;
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
