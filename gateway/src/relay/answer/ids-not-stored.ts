/**
 * An answer whose ids could not be stored: the client must not learn them, and the provider has
 * done the work. Another channel would do it again, and would meet the same storage.
 */
import { noRetryHeaders, type RelayRefusal } from "../wire/relay-refusal.ts";

export const idsNotStored = "the ids in the answer could not be stored";

export const idsNotStoredRefusal: RelayRefusal = {
  status: 503,
  type: "server_error",
  code: "ids_not_stored",
  message:
    "The gateway could not store the ids in the provider's answer and withholds it; what the provider wrote is charged",
  headers: noRetryHeaders,
};
