import { useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";

/**
 * The boxes before the rows of a list and above them; from outside, so that lists without any do
 * not load them.
 */
export type RowSelection = {
  row: (id: string, name: string) => ReactNode;
  page: (ids: readonly string[]) => ReactNode;
};

/** The rows that the user chose, by their ids; they stay chosen on other pages. */
type Chosen = {
  ids: ReadonlySet<string>;
  toggle: (ids: readonly string[], isChosen: boolean) => void;
};

export const buildSelectionBoxes = (chosen: Chosen): RowSelection => ({
  row: (id, name) => <SelectRow chosen={chosen} id={id} name={name} />,
  page: (ids) => <SelectPage chosen={chosen} ids={ids} />,
});

function SelectRow({ chosen, id, name }: { chosen: Chosen; id: string; name: string }) {
  const { t } = useLingui();
  return <SelectBox label={t`Select ${name}`} chosen={chosen} ids={[id]} />;
}

function SelectPage({ chosen, ids }: { chosen: Chosen; ids: readonly string[] }) {
  const { t } = useLingui();
  return <SelectBox label={t`Select all rows of this page`} chosen={chosen} ids={ids} />;
}

type SelectBoxProps = { label: string; chosen: Chosen; ids: readonly string[] };

/** The label around the box makes its target large enough for a finger. */
function SelectBox({ label, chosen, ids }: SelectBoxProps) {
  const count = ids.filter((id) => chosen.ids.has(id)).length;
  const isPart = count > 0 && count < ids.length;
  return (
    <label className="relative z-1 inline-flex p-2 align-middle">
      <input
        ref={(box) => {
          if (box !== null) box.indeterminate = isPart;
        }}
        type="checkbox"
        className="size-4 shrink-0 rounded-sm accent-accent"
        aria-label={label}
        disabled={ids.length === 0}
        checked={ids.length > 0 && count === ids.length}
        onChange={(event) => chosen.toggle(ids, event.target.checked)}
      />
    </label>
  );
}
