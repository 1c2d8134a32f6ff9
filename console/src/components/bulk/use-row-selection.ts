import { use, useState } from "react";
import { hasFeature, useSession } from "../../session.ts";
import { MayChange } from "../../ui/may-change.tsx";
import { buildSelectionBoxes, type RowSelection } from "../../ui/table/data-table-selection.tsx";

export type ChosenRows = RowSelection & {
  ids: ReadonlySet<string>;
  toggle: (ids: readonly string[], isChosen: boolean) => void;
  clear: () => void;
};

const none: ReadonlySet<string> = new Set();

/** The rows that one act is for; undefined where the server offers none. */
export function useRowSelection(): ChosenRows | undefined {
  const [ids, setIds] = useState(none);
  const isOffered = hasFeature(useSession().status, "bulk_verbs");
  const mayChange = use(MayChange);
  if (!isOffered || !mayChange) return undefined;
  const toggle = (toggled: readonly string[], isChosen: boolean) =>
    setIds((before) => {
      const rest = [...before].filter((id) => !toggled.includes(id));
      return new Set(isChosen ? [...rest, ...toggled] : rest);
    });
  return { ...buildSelectionBoxes({ ids, toggle }), ids, toggle, clear: () => setIds(none) };
}
