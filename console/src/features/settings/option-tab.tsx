import { Trans, useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { FormLoading } from "../../components/form-loading.tsx";
import { isRoot, useSession } from "../../session.ts";
import { Alert } from "../../ui/alert.tsx";
import { OptionCard } from "./option-card.tsx";
import type { OptionSection } from "./option-sections.ts";
import { type StoredOptions, useOptions } from "./use-options.ts";

type OptionTabProps = {
  left: readonly OptionSection[];
  right: readonly OptionSection[];
  /** Content below the sections of the left column. */
  leftEnd?: ReactNode;
  /** Content below the sections of the right column. */
  rightEnd?: ReactNode;
};

/** Shows an explanation instead of making a call that the role forbids. */
export function OptionTab(props: OptionTabProps) {
  const { user } = useSession();
  return isRoot(user) ? <LoadedOptionTab {...props} /> : <OptionsNotAllowed />;
}

function LoadedOptionTab({ left, right, leftEnd, rightEnd }: OptionTabProps) {
  const { t } = useLingui();
  const options = useOptions();
  if (options.data === undefined) return <FormLoading source={options} text={t`Loading...`} fields={5} />;
  if (options.data.values.size === 0) return <OptionsNotAllowed />;
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <OptionColumn sections={left} stored={options.data}>
        {leftEnd}
      </OptionColumn>
      <OptionColumn sections={right} stored={options.data}>
        {rightEnd}
      </OptionColumn>
    </div>
  );
}

type OptionColumnProps = { sections: readonly OptionSection[]; stored: StoredOptions; children?: ReactNode };

function OptionColumn({ sections, stored, children }: OptionColumnProps) {
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {sections.map((section) => (
        <OptionCard key={section.title.id} section={section} stored={stored} />
      ))}
      {children}
    </div>
  );
}

export const OptionsNotAllowed = () => (
  <Alert tone="warn" title={<Trans>No settings to show: insufficient permissions</Trans>}>
    <Trans>They belong to super administrators.</Trans>
  </Alert>
);
