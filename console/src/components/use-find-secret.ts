import { useLingui } from "@lingui/react/macro";
import type { Endpoint } from "@tollgate/contract/endpoint.ts";
import { api } from "../api-queries.ts";
import { type EntityIds, entityRef } from "../compat/entity-ids.ts";
import { hasFeature, useSession } from "../session.ts";
import { toast } from "../ui/toast.tsx";
import { toastError } from "./toast-failure.ts";
import { hashOf } from "./whole-secret.ts";

/** Asks for the entity with the hash of this secret, and searches for it by its id: the secret is in no address. */
export function useFindSecret(find: Endpoint | undefined, searchFor: (text: string) => void) {
  const { t } = useLingui();
  const { status } = useSession();
  return async (secret: string) => {
    const canFind = find !== undefined && hasFeature(status, "find_by_hash");
    if (!canFind) return toast(t`This server does not find whole keys and codes.`, { tone: "info" });
    const key_hash = await hashOf(secret);
    if (key_hash === undefined) return toast(t`Finding a whole key or code needs https.`, { tone: "info" });
    try {
      const reply = await api.call(find, { body: { key_hash } } as never);
      // The endpoints that find answer with a list of at most one entity.
      const [found] = reply.data as unknown as EntityIds[];
      if (found === undefined) toast(t`Nothing has this key or code.`, { tone: "info" });
      else searchFor(entityRef(found));
    } catch (error) {
      toastError(error);
    }
  };
}
