import { isAdmin, isHeldBack, isRoot, useSession } from "../session.ts";
import { listHeaderEntries, listVisiblePages, type NavigationEntry } from "./navigation.ts";
import type { PageRow } from "./page-table.ts";

/** The pages that the user may open; none while the server answers nothing else. */
export function usePages(): PageRow[] {
  const { user, status } = useSession();
  if (isHeldBack(user)) return [];
  return listVisiblePages({ isAdmin: isAdmin(user), isRoot: isRoot(user), status });
}

/** The entries of the header. */
export const useNavigation = (): NavigationEntry[] => listHeaderEntries(usePages());
