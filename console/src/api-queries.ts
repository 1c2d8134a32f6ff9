import { QueryClient, queryOptions } from "@tanstack/react-query";
import type { Endpoint } from "@tollgate/contract/endpoint.ts";
import {
  type AnyApiInput,
  type ApiCallArguments,
  type ApiCallOptions,
  type ApiInput,
  call,
  type EndpointReply,
} from "./api-call.ts";
import { gotNoResponse } from "./api-error.ts";
import { getSession, subscribeSession } from "./session.ts";

/** A gateway may live without internet, and a failed call is shown at once, with Retry in the person's hands. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: false, networkMode: "always", staleTime: 0, refetchOnWindowFocus: false },
    mutations: { retry: false, networkMode: "always" },
  },
});

// What was loaded belongs to the person it was loaded for.
let cachedFor = getSession().user?.username;
subscribeSession(() => {
  const next = getSession().user?.username;
  if (next !== cachedFor) dropCache(cachedFor !== undefined && next !== undefined);
  cachedFor = next;
});

/** Where the page stays and only its person has changed, what it shows is loaded anew; else it would wait for ever. */
function dropCache(isSwitch: boolean) {
  if (!isSwitch) return queryClient.clear();
  queryClient.removeQueries({ type: "inactive" });
  void queryClient.resetQueries();
}

const queryKeyOf = (endpoint: Endpoint) => `${endpoint.method} ${endpoint.path}${endpoint.variant ?? ""}`;

/** Options for `useQuery`: the key is the endpoint and what it is asked. */
function query<E extends Endpoint>(endpoint: E, ...[input]: ApiCallArguments<E>) {
  const asked: AnyApiInput = input ?? {};
  return queryOptions({
    queryKey: [queryKeyOf(endpoint), asked.params ?? null, asked.query ?? null] as const,
    queryFn: ({ signal }) => call<E>(endpoint, ...([{ ...asked, signal }] as unknown as ApiCallArguments<E>)),
  });
}

type ApiMutationOptions = { refreshes?: readonly Endpoint[]; timeoutMs?: number };

/**
 * Options for `useMutation`: what it makes stale is asked again where it is shown. So it is when no answer came: whether
 * it was done is seen there before anybody tries once more.
 */
function mutation<E extends Endpoint>(endpoint: E, { refreshes = [], timeoutMs }: ApiMutationOptions = {}) {
  const refreshAll = async () => {
    await Promise.all(refreshes.map(refresh));
  };
  return {
    mutationFn: (input: ApiInput<E> & ApiCallOptions): Promise<EndpointReply<E>> => {
      const withTimeout = timeoutMs === undefined ? input : { timeoutMs, ...input };
      return call<E>(endpoint, ...([withTimeout] as unknown as ApiCallArguments<E>));
    },
    onSuccess: refreshAll,
    onError: (error: Error) => (gotNoResponse(error) ? refreshAll() : undefined),
  };
}

/** Asks again whatever is shown from this endpoint. */
const refresh = (endpoint: Endpoint) => queryClient.invalidateQueries({ queryKey: [queryKeyOf(endpoint)] });

export const api = { call, query, mutation, refresh };
