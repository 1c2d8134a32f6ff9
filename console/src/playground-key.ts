import { newPlaygroundToken } from "@tollgate/contract/playground.ts";
import type { call as Call } from "./api-call.ts";
import { getSession, updateToken } from "./session.ts";

/** The gateway hands out keys that last at least five minutes more. */
const goodForMs = 4 * 60_000;

let known = { token: "", until: 0 };

/** What a call of `/v1` carries: asked for or renewed only now, and the stored one where a server gives none. */
export async function playgroundKey(call: typeof Call): Promise<string> {
  const { user, token } = getSession();
  const isGood = token !== "" && token === known.token && Date.now() < known.until;
  if (user === null || isGood) return token;
  try {
    const { data } = await call(newPlaygroundToken);
    updateToken(data?.token);
    known = { token: getSession().token, until: Date.now() + goodForMs };
  } catch (error) {
    console.error("The key for the playground could not be renewed", error);
  }
  return getSession().token;
}
