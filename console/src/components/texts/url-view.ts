import { useNavigate, useSearch } from "@tanstack/react-router";
import { readView, type TableView, writeView } from "../../ui/table/data-table-view.ts";

type UrlViewOptions<Sort extends string> = {
  defaults: TableView & { sort: Sort };
  sorts: readonly Sort[];
};
export type SortedView<Sort extends string> = TableView & { sort: Sort };

/** The state of a list lives in the URL, so that a link shows the same list. */
export function useUrlView<Sort extends string>({ defaults, sorts }: UrlViewOptions<Sort>) {
  const search: Record<string, unknown> = useSearch({ strict: false });
  const navigate = useNavigate();
  const read = readView(search, defaults);
  const view: SortedView<Sort> = {
    ...read,
    sort: sorts.find((known) => known === read.sort) ?? defaults.sort,
  };
  const setView = (next: TableView, replace = false) => {
    void navigate({
      to: ".",
      replace,
      search: (before: Record<string, unknown>) => writeView(before, next, defaults) as never,
    });
  };
  return [view, setView] as const;
}

/**
 * `useUrlText` gives one text parameter of the URL, such as a search. Changing it returns to the
 * first page.
 */
export function useUrlText(name: string) {
  const search: Record<string, unknown> = useSearch({ strict: false });
  const navigate = useNavigate();
  const value = search[name];
  const setText = (text: string) => {
    void navigate({
      to: ".",
      search: (before: Record<string, unknown>) =>
        ({ ...before, p: undefined, [name]: text === "" ? undefined : text }) as never,
    });
  };
  return [typeof value === "string" ? value : "", setText] as const;
}
