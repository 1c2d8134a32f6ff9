/** Differences of compatible servers in users. */
import { userStatus } from "@tollgate/contract/accounts/roles.ts";
import type { User } from "@tollgate/contract/accounts/users.ts";

/** Compatible servers return deleted accounts in their lists. */
export const isNotDeleted = ({ status }: Pick<User, "status">): boolean =>
  status !== userStatus.deleted;

/** Compatible servers send -1 for unlimited. */
export const isUnlimited = ({ quota }: Pick<User, "quota">): boolean => quota === -1;
