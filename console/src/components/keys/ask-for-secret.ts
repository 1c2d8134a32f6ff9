import { t } from "@lingui/core/macro";
import type { Endpoint } from "@tollgate/contract/api/endpoint.ts";
import { api } from "../../api-queries.ts";
import type { EntityIds } from "../../compat/entity-ids.ts";
import { getSession, hasFeature } from "../../session.ts";
import { toast } from "../../ui/toast.tsx";
import { toastError } from "../toast-failure.ts";
import { hashSecret } from "./whole-secret.ts";

/** `FoundThing` is what an endpoint that finds by hash answers, in a list of at most one. */
export type FoundThing = EntityIds & { name?: string; username?: string };

/** Asks for the thing with the hash of this secret, and says why nothing was found. */
export async function askForSecret(
  find: Endpoint | undefined,
  secret: string,
  onFound: (found: FoundThing) => void,
): Promise<void> {
  const say = (words: string): void => toast(words, { tone: "info" });
  if (find === undefined)
    return say(t`You cannot search for a whole key here. Search for it on the Tokens page.`);
  if (!hasFeature(getSession().status, "find_by_hash"))
    return say(t`This server does not find whole keys and codes.`);
  const key_hash = await hashSecret(secret);
  if (key_hash === undefined) return say(t`Searching for a whole key or code needs https.`);
  try {
    const reply = await api.call(find, { body: { key_hash } } as never);
    const [found] = reply.data as unknown as FoundThing[];
    if (found === undefined) say(t`Nothing has this key or code.`);
    else onFound(found);
  } catch (error) {
    toastError(error);
  }
}
