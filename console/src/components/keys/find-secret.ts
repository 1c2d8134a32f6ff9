import type { Endpoint } from "@tollgate/contract/api/endpoint.ts";
import type { FoundThing } from "./ask-for-secret.ts";

/**
 * `findSecret` finds the thing with this secret, which is in no address. Its code loads with the
 * first whole key that a user pastes.
 */
export async function findSecret(
  find: Endpoint | undefined,
  secret: string,
  onFound: (found: FoundThing) => void,
): Promise<void> {
  const { askForSecret } = await import("./ask-for-secret.ts");
  await askForSecret(find, secret, onFound);
}
