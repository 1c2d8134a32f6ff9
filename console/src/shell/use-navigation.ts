import { useRouter } from "@tanstack/react-router";
import { hasFeature, isAdmin, isHeldBack, useSession } from "../session.ts";
import { type NavigationEntry, visibleEntries } from "./navigation.ts";

/** The navigation entries for the user; none while the server answers nothing else. */
export function useNavigation(): NavigationEntry[] {
  const router = useRouter();
  const { user, status } = useSession();
  if (isHeldBack(user)) return [];
  const paths: Record<string, unknown> = router.routesByPath;
  return visibleEntries({
    admin: isAdmin(user),
    chatLink: (status.chat_link ?? "") !== "",
    playground: hasFeature(status, "playground"),
    exists: (path) => path in paths,
  });
}
