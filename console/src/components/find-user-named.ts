import { searchUsers } from "@tollgate/contract/accounts/user-admin.ts";
import { ApiError } from "../api-error.ts";
import { api } from "../api-queries.ts";

/**
 * `findUserNamed` is for administrators: the id of the user of exactly this name. Without one, it
 * throws what the form shows at its `field`.
 */
export async function findUserNamed(
  username: string,
  unknownUser: string,
  field: string,
): Promise<number> {
  const { data } = await api.call(searchUsers, { query: { keyword: username } });
  const found = data.find((user) => user.username === username);
  if (found === undefined)
    throw new ApiError(unknownUser, { status: 404, fields: { [field]: unknownUser } });
  return found.id;
}
