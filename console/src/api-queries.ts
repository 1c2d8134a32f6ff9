import { QueryClient, queryOptions } from "@tanstack/react-query";
import type { Endpoint } from "@tollgate/contract/api/endpoint.ts";
import {
  type AnyApiInput,
  type ApiCallArguments,
  type ApiCallOptions,
  type ApiInput,
  call,
  type EndpointReply,
  readArrivedReply,
} from "./api-call.ts";
import { gotNoResponse, readCode } from "./api-error.ts";
import { getSession, subscribeSession } from "./session.ts";

/**
 * The gateway may run without internet access. Failed calls are shown at once, with a Retry button.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: false, networkMode: "always", staleTime: 0, refetchOnWindowFocus: false },
    mutations: { retry: false, networkMode: "always" },
  },
});

// Cached data belongs to the user it was loaded for.
let cachedFor = getSession().user?.username;
subscribeSession(() => {
  const next = getSession().user?.username;
  if (next !== cachedFor) dropCache(cachedFor !== undefined && next !== undefined);
  cachedFor = next;
});

/**
 * A page that stays on the screen after a change of user reloads its data; a cleared cache would
 * leave it loading forever.
 */
function dropCache(isSwitch: boolean) {
  if (!isSwitch) return queryClient.clear();
  queryClient.removeQueries({ type: "inactive" });
  void queryClient.resetQueries();
}

const composeQueryKey = (endpoint: Endpoint) =>
  `${endpoint.method} ${endpoint.path}${endpoint.variant ?? ""}`;

/** Options for `useQuery`, keyed by the endpoint and its input. */
function query<E extends Endpoint>(endpoint: E, ...[input]: ApiCallArguments<E>) {
  const callInput: AnyApiInput = input ?? {};
  return queryOptions({
    queryKey: [
      composeQueryKey(endpoint),
      callInput.params ?? null,
      callInput.query ?? null,
    ] as const,
    queryFn: ({ signal }) =>
      call<E>(endpoint, ...([{ ...callInput, signal }] as unknown as ApiCallArguments<E>)),
  });
}

/** Longer than it takes to draw a page, and too short for a user to come back to it. */
const arrivedMaxMs = 1_000;

/**
 * Options for a query whose reply may be there before its page is drawn: it is drawn with that
 * reply, which is not asked for a second time.
 */
export const fromEarlyReply = <E extends Endpoint>(endpoint: E, ...input: ApiCallArguments<E>) => ({
  initialData: () => readArrivedReply(endpoint, ...input),
  staleTime: ({ state }: { state: { dataUpdateCount: number } }) =>
    state.dataUpdateCount === 0 ? arrivedMaxMs : 0,
});

/**
 * The query of one attempt, with a place of its own in the cache: a press of Refresh or Apply asks
 * again, whatever else stays the same. The key is longer than its type says.
 */
export const atAttempt = <Options extends { queryKey: readonly unknown[] }>(
  options: Options,
  attempt: number,
): Options => ({
  ...options,
  queryKey: [...options.queryKey, attempt] as const as Options["queryKey"],
});

type ApiMutationOptions = { refreshes?: readonly Endpoint[]; timeoutMs?: number };

/**
 * Makes a change and refetches the `refreshes` that are on the screen, also without a response: the
 * user then sees whether the change was made before trying again. A change that waits for approval
 * shows as a request.
 */
async function change<E extends Endpoint>(
  endpoint: E,
  refreshes: readonly Endpoint[],
  input: ApiInput<E> & ApiCallOptions,
): Promise<EndpointReply<E>> {
  const refreshAll = () => Promise.all(refreshes.map(refresh));
  const reply = await call<E>(endpoint, ...([input] as unknown as ApiCallArguments<E>)).catch(
    async (error) => {
      if (gotNoResponse(error) || readCode(error) === "quota_waits_for_root") await refreshAll();
      throw error;
    },
  );
  await refreshAll();
  return reply;
}

/** A change as options for `useMutation`. */
const mutation = <E extends Endpoint>(
  endpoint: E,
  { refreshes = [], timeoutMs }: ApiMutationOptions = {},
) => ({
  mutationFn: (input: ApiInput<E> & ApiCallOptions): Promise<EndpointReply<E>> =>
    change(endpoint, refreshes, timeoutMs === undefined ? input : { timeoutMs, ...input }),
});

/** Refetches the queries of this endpoint that are on the screen. */
const refresh = (endpoint: Endpoint) =>
  queryClient.invalidateQueries({ queryKey: [composeQueryKey(endpoint)] });

export const api = { call, query, change, mutation, refresh };
