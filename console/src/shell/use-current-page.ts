import type { MessageDescriptor } from "@lingui/core";
import { useParams, useRouterState } from "@tanstack/react-router";
import { findPage, listAncestors, type PageRow } from "./page-table.ts";

type CurrentPage = {
  page: PageRow | undefined;
  title: MessageDescriptor | undefined;
  ancestors: readonly PageRow[];
};

/** The page that is shown, with the pages above it; none for a page of visitors. */
export function useCurrentPage(): CurrentPage {
  const path = useRouterState({ select: ({ matches }) => matches.at(-1)?.fullPath ?? "" });
  const page = findPage(path);
  const { id } = useParams({ strict: false });
  if (page === undefined) return { page, title: undefined, ancestors: [] };
  const { title, below } = page;
  const ancestors = listAncestors(page);
  if (below === undefined || id === undefined) return { page, title, ancestors };
  const place = id === "add" ? (below.add ?? below.one) : below.one;
  return { page, title: place, ancestors: [...ancestors, page] };
}
