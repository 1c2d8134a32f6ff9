/**
 * Calls on the API keys of all users as Laisky's fork has them. It shows whole keys there; here no
 * administrator sees one.
 */
import { type HeldToken, listAllTokens } from "@tollgate/contract/accounts/all-tokens.ts";
import {
  type AskOwn,
  type ForeignCall,
  ForeignRefused,
  type ForeignRequest,
} from "./foreign-call.ts";
import { isUuid } from "./litellm-members.ts";

/** The id of one key, or nothing for the list and the search. */
const adminTokens = /^\/api\/admin\/tokens(?:\/([^/]*))?\/?$/;

/** Enough to tell keys apart. */
const showKey = ({ key_ending }: HeldToken): string => `***${key_ending}`;

const shown = (token: HeldToken) => ({ ...token, key: showKey(token) });

async function list({ query }: ForeignRequest, ask: AskOwn): Promise<unknown> {
  const { user_id, keyword, p, size, sort, order } = query;
  if (user_id !== undefined)
    throw new ForeignRefused(400, "user_id is no filter here: use keyword with the user name");
  const given = { keyword, p, size, sort, order };
  const { data, total } = await ask(listAllTokens, {
    query: Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  });
  return { success: true, message: "", data: data.map(shown), total };
}

async function read(id: string, ask: AskOwn): Promise<unknown> {
  const keyword = /^\d{1,15}$/.test(id) ? `#${id}` : isUuid(id) ? id : undefined;
  const { data } =
    keyword === undefined ? { data: [] } : await ask(listAllTokens, { query: { keyword } });
  const token = data.find((one) => String(one.id) === id || one.uuid === id);
  if (!token) throw new ForeignRefused(404, "There is no such token");
  return { success: true, message: "", data: shown(token) };
}

/** Undefined for any other call. */
export function findLaiskyCall(method: string, path: string): ForeignCall | undefined {
  const found = method === "GET" ? adminTokens.exec(path) : null;
  if (!found) return undefined;
  const id = found[1] ?? "";
  const isList = id === "" || id === "search";
  return {
    method: "GET",
    path,
    answer: (request, ask) => (isList ? list(request, ask) : read(id, ask)),
  };
}
