import { newPlaygroundToken } from "@tollgate/contract/playground.ts";
import type { call as Call } from "./api-call.ts";
import { getSession, updateToken } from "./session.ts";

/** The gateway hands out keys that last at least five minutes more. */
const reuseForMs = 4 * 60_000;

let issued = { token: "", until: 0 };

/** What a call of `/v1` carries: asked for or renewed only now, and the stored one where a server gives none. */
export async function playgroundKey(call: typeof Call): Promise<string> {
  const { user, token } = getSession();
  const isReusable = token !== "" && token === issued.token && Date.now() < issued.until;
  if (user === null || isReusable) return token;
  try {
    const { data } = await call(newPlaygroundToken);
    updateToken(data?.token);
    issued = { token: getSession().token, until: Date.now() + reuseForMs };
  } catch (error) {
    console.error("The key for the playground could not be renewed", error);
  }
  return getSession().token;
}
