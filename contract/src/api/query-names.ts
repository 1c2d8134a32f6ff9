/**
 * Query parameters that an endpoint does not know. A filter of the family that is passed over would
 * answer with what was not asked for; anything else that is passed over on a GET does no harm, and
 * is named.
 */
import type { EndpointSpec, Method } from "./endpoint.ts";

/**
 * Filters of one-api, new-api and Veloera, by the address of their lists. What an endpoint declares
 * is served.
 */
const familyFilters: readonly { path: RegExp; names: readonly string[] }[] = [
  {
    // Below /self, the family passes over a user and a channel too.
    path: /^\/api\/log\/(?:self\/?)?(?:search|stat|export)?$/,
    names: ["channel_id", "token_id", "upstream_request_id", "ip", "is_stream"],
  },
  {
    path: /^\/api\/channel\/(?:search)?$/,
    names: ["group", "model", "status", "type", "tag", "tag_mode"],
  },
  { path: /^\/api\/user\/(?:search)?$/, names: ["group", "role", "status"] },
  {
    path: /^\/api\/token\/(?:search|all\/?|all\/search)?$/,
    names: ["token", "group", "status", "user_id", "model"],
  },
  { path: /^\/api\/redemption\/(?:search)?$/, names: ["status", "user_id"] },
  {
    path: /^\/api\/models\/display$/,
    names: [
      ...[
        "keyword",
        "input_modality",
        "output_modality",
        "feature",
        "reasoning_effort",
        "channel_type",
      ],
      ...["min_context_length", "max_input_price"],
    ],
  },
  {
    path: /^\/api\/(?:data|dashboard|user\/dashboard)(?:\/|$)/,
    names: ["username", "model_name", "token_name", "channel"],
  },
];

/** A stranger's proof that it is a person may come with any address. */
const everywhere: readonly string[] = ["turnstile"];

type Queried = Pick<EndpointSpec, "query" | "variant"> & { method: Method; path: string };

const namesOf = ({ query, variant }: Queried): ReadonlySet<string> => {
  const def: unknown = query?._zod.def;
  const shape =
    typeof def === "object" && def !== null && "shape" in def ? (def.shape as object) : {};
  return new Set([
    ...Object.keys(shape),
    ...everywhere,
    ...(variant === undefined ? [] : [variant]),
  ]);
};

/** Acts on many rows, or ends some: what narrows them must not be passed over. */
const isStrict = ({ method, path }: Queried): boolean =>
  method === "DELETE" || path.endsWith("/bulk");

export interface UnknownNames {
  /** The first name for which the call is refused. */
  refused?: string;
  ignored: readonly string[];
}

export function findUnknownNames(endpoint: Queried, sent: Iterable<string>): UnknownNames {
  const known = namesOf(endpoint);
  const ignored = [...sent].filter((name) => !known.has(name));
  if (ignored.length === 0) return { ignored };
  const filters =
    endpoint.method === "GET" ? familyFilters.filter(({ path }) => path.test(endpoint.path)) : [];
  const refused = isStrict(endpoint)
    ? ignored[0]
    : ignored.find((name) => filters.some(({ names }) => names.includes(name)));
  return { ignored, ...(refused !== undefined && { refused }) };
}

const namesMax = 20;

/** `buildIgnoredHeader` gives what a header holds of names that a client made up. */
export const buildIgnoredHeader = (names: readonly string[]): string =>
  names
    .filter((name) => /^[\w.[\]-]{1,64}$/.test(name))
    .slice(0, namesMax)
    .join(", ");
