import { useSession } from "../session.ts";

/**
 * Names the user and the list for what this browser keeps: users of one browser choose for
 * themselves.
 */
export function useChoiceOwner(list: string): string | undefined {
  const { user } = useSession();
  return user === null ? undefined : `${user.uuid ?? user.id ?? user.username}:${list}`;
}
