import { useRouterState } from "@tanstack/react-router";
import { findPage, listAncestors, type PageRow } from "./page-table.ts";

/** The page that is shown, with the pages above it; none for a page of visitors. */
export function useCurrentPage(): { page: PageRow | undefined; ancestors: readonly PageRow[] } {
  const path = useRouterState({ select: ({ matches }) => matches.at(-1)?.fullPath ?? "" });
  const page = findPage(path);
  return { page, ancestors: page === undefined ? [] : listAncestors(page) };
}
