import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { DataOf, Endpoint, QueryIn } from "@tollgate/contract/api/endpoint.ts";
import { api, fromEarlyReply } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { hasFeature, useSession } from "../../session.ts";
import type { Suggestion } from "../../ui/form/combobox.tsx";
import { defaultView, type TableView } from "../../ui/table/data-table-view.ts";
import { useTableChoice } from "../../ui/table/use-table-choice.ts";
import { findSecret } from "../keys/find-secret.ts";
import { isWholeKey, type WholeSecret, wholeKey } from "../keys/whole-secret.ts";
import { useUrlText, useUrlView } from "../texts/url-view.ts";
import { useChoiceOwner } from "../use-choice-owner.ts";
import { buildListPage, type ListReply } from "./list-page.ts";
import { recentColumnId } from "./recent-calls-column.tsx";

type RowOf<E> = DataOf<E> extends readonly (infer Row extends object)[] ? Row : never;
type SortOf<E> = Extract<NonNullable<QueryIn<E>>["sort" & keyof NonNullable<QueryIn<E>>], string>;

type ResourceListOptions<E extends Endpoint> = {
  list: E;
  /** Takes what `list` takes, and `keyword`. */
  search: Endpoint;
  sorts: readonly SortOf<E>[];
  /**
   * Narrows the list besides the keyword. Each filter has the same name in the URL and in the
   * query.
   */
  filters?: Readonly<Record<string, string | number | undefined>>;
  /**
   * `filterNames` are filters that only our gateway knows, by their name in the URL; another server
   * would answer with all rows.
   */
  filterNames?: readonly string[];
  /** Adapts the rows of a compatible server. */
  adaptRows?: (rows: readonly RowOf<E>[], view: TableView) => readonly RowOf<E>[];
  suggestion: (row: RowOf<E>) => Suggestion;
  suggestionSort?: SortOf<E>;
  refetchInterval?: (rows: readonly RowOf<E>[]) => number | false;
  /** The list has the column of recent calls. */
  hasRecent?: true;
  /** Whole keys or codes, which are found by their hash. */
  secrets?: WholeSecret & { find: Endpoint };
};

/** The id of a request or a trace, which names a call and no row of a list. */
const isCallId = (text: string) =>
  /^(?:\d{18,26}|01[0-9a-f]{10}7[0-9a-f]{3}[89ab][0-9a-f]{15})$/.test(text);

const suggestionsMax = 10;
/** Compatible servers may ignore the size. */
const suggestionsShownMax = 100;

/**
 * A list with a search: its state in the URL, its query, and the props for `DataTable` and
 * `SearchBox`.
 */
export function useResourceList<E extends Endpoint>(options: ResourceListOptions<E>) {
  const { list, search, sorts, adaptRows, refetchInterval, secrets, hasRecent } = options;
  const navigate = useNavigate();
  const filters = { ...options.filters, ...useNamedFilters(options.filterNames) };
  const [view, onViewChange] = useUrlView({
    defaults: { ...defaultView, size: 10, sort: "id" },
    sorts,
  });
  const [keyword, searchFor] = useUrlText("keyword");
  // A link that a user made by hand may hold a key: it is not sent on.
  const searched = isWholeKey(keyword) ? "" : keyword;
  const secretIn = (text: string) => secrets?.secretIn(text) ?? wholeKey.secretIn(text);
  const onSearch = (text: string) => {
    const secret = secretIn(text);
    if (secret !== undefined)
      void findSecret(secrets?.find, secret, (found) => searchFor(readEntityRef(found)));
    else if (isCallId(text)) void navigate({ to: "/logs", search: { keyword: text } as never });
    // The same text asks again.
    else if (text === searched) void source.refetch();
    else searchFor(text);
  };
  const choiceOwner = useChoiceOwner(list.path);
  const [{ columns }] = useTableChoice(choiceOwner);
  const asksRecent = hasRecent && columns[recentColumnId] === true;
  const query = {
    ...filters,
    ...view,
    ...(searched !== "" && { keyword: searched }),
    ...(asksRecent && { recent: "true" }),
  };
  const source = useQuery({
    ...request<E>(searched === "" ? list : search, query),
    placeholderData: keepPreviousData,
    select: (reply) =>
      buildListPage({ ...reply, data: adaptRows?.(reply.data, view) ?? reply.data }, view),
    refetchInterval: ({ state }) => refetchInterval?.(state.data?.data ?? []) ?? false,
  });
  return {
    table: {
      source,
      choiceOwner,
      view,
      onViewChange,
      rowId: readEntityRef,
      searched,
      filtered: searched !== "" || Object.values(filters).some((value) => value !== undefined),
      onClearFilters: () => void navigate({ to: ".", search: makeClearedSearch(filters) as never }),
    },
    searchBox: {
      searched,
      onSearch,
      suggestionsKey: search.path,
      isSecret: (text: string) => secretIn(text) !== undefined || isCallId(text),
      suggest: (text: string, signal: AbortSignal) => loadSuggestions(options, text, signal),
    },
  };
}

function useNamedFilters(names: readonly string[] = []): Record<string, string | undefined> {
  const search: Record<string, string | undefined> = useSearch({ strict: false });
  const isServed = hasFeature(useSession().status, "list_filters");
  return Object.fromEntries(names.map((name) => [name, isServed ? search[name] : undefined]));
}

/**
 * The options check list and search; this query is composed, so its type cannot be checked against
 * the endpoint's.
 */
const request = <E extends Endpoint>(endpoint: Endpoint, query: object) =>
  ({
    ...api.query(endpoint, { query: query as never }),
    ...fromEarlyReply(endpoint, { query: query as never }),
  }) as unknown as RowsQuery<RowOf<E>>;

type RowsQuery<Row> = {
  queryKey: readonly unknown[];
  queryFn: () => Promise<ListReply<Row>>;
  initialData: () => ListReply<Row> | undefined;
  staleTime: (query: { state: { dataUpdateCount: number } }) => number;
};

const makeClearedSearch =
  (filters: object) =>
  (before: Record<string, unknown>): Record<string, unknown> => {
    const cleared = Object.keys(filters).map((name) => [name, undefined]);
    return { ...before, p: undefined, keyword: undefined, ...Object.fromEntries(cleared) };
  };

async function loadSuggestions<E extends Endpoint>(
  { search, suggestionSort, adaptRows, suggestion }: ResourceListOptions<E>,
  keyword: string,
  signal: AbortSignal,
): Promise<Suggestion[]> {
  const sort = { size: suggestionsMax, sort: suggestionSort ?? "name", order: "asc" } as const;
  const reply = await api.call(search, { query: { keyword, ...sort } as never, signal });
  const rows = (reply as unknown as ListReply<RowOf<E>>).data;
  const suggestions = (adaptRows?.(rows, { p: 0, ...sort }) ?? rows).map(suggestion);
  return [...new Map(suggestions.map((one) => [one.id, one])).values()].slice(
    0,
    suggestionsShownMax,
  );
}
