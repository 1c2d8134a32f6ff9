import { useMemo } from "react";
import { isAdmin, isHeldBack, isRoot, useSession } from "../session.ts";
import { listHeaderEntries, listVisiblePages, type NavigationEntry } from "./navigation.ts";
import type { PageRow } from "./page-table.ts";

/** The pages that the user may open; none while the server answers nothing else. */
export function usePages(): PageRow[] {
  const { user, status } = useSession();
  return useMemo(
    () =>
      isHeldBack(user)
        ? []
        : listVisiblePages({ isAdmin: isAdmin(user), isRoot: isRoot(user), status }),
    [user, status],
  );
}

/** The entries of the header, the same until the session changes. */
export function useNavigation(): NavigationEntry[] {
  const pages = usePages();
  return useMemo(() => listHeaderEntries(pages), [pages]);
}
