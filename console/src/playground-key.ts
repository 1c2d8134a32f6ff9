import type { ReplyOf } from "@tollgate/contract/api/endpoint.ts";
import { newPlaygroundToken } from "@tollgate/contract/site/playground.ts";
import { getSession, updateToken } from "./session.ts";

/** The gateway's keys are valid for at least five minutes. */
const reuseForMs = 4 * 60_000;

/** `IssueToken` is as `call` of api-call.ts, which loads this file. */
type IssueToken = (
  endpoint: typeof newPlaygroundToken,
) => Promise<ReplyOf<typeof newPlaygroundToken>>;

let issued = { token: "", until: 0 };

/**
 * The API key for calls of `/v1`, requested or renewed on demand; the stored one if the server
 * issues none.
 */
export async function composePlaygroundKey(call: IssueToken): Promise<string> {
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
