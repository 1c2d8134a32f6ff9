import { useRouter } from "@tanstack/react-router";
import { hasFeature, isAdmin, useSession } from "../session.ts";
import { type NavigationEntry, visibleEntries } from "./navigation.ts";

/** The navigation entries for the user; none while a password change is pending. */
export function useNavigation(): NavigationEntry[] {
  const router = useRouter();
  const { user, status } = useSession();
  if (user?.must_change_password === true) return [];
  const paths: Record<string, unknown> = router.routesByPath;
  return visibleEntries({
    admin: isAdmin(user),
    chatLink: (status.chat_link ?? "") !== "",
    playground: hasFeature(status, "playground"),
    exists: (path) => path in paths,
  });
}
