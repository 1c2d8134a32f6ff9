import { useNavigate, useSearch } from "@tanstack/react-router";
import { readView, type TableView, writeView } from "../ui/data-table-view.ts";

type UrlViewOptions<Sort extends string> = { defaults: TableView & { sort: Sort }; sorts: readonly Sort[] };
export type SortedView<Sort extends string> = TableView & { sort: Sort };

/** Where a list stands lives in the address bar, so that a link shows what its sender saw. */
export function useUrlView<Sort extends string>({ defaults, sorts }: UrlViewOptions<Sort>) {
  const search: Record<string, unknown> = useSearch({ strict: false });
  const navigate = useNavigate();
  const read = readView(search, defaults);
  const view: SortedView<Sort> = { ...read, sort: sorts.find((known) => known === read.sort) ?? defaults.sort };
  const setView = (next: TableView, replace = false) => {
    void navigate({
      to: ".",
      replace,
      search: (before: Record<string, unknown>) => writeView(before, next, defaults) as never,
    });
  };
  return [view, setView] as const;
}

/** One text of the address beside the view, such as a search: changing it starts at the first page again. */
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
