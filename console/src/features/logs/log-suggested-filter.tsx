import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { searchTokens } from "@tollgate/contract/accounts/tokens.ts";
import { searchUsers } from "@tollgate/contract/accounts/user-admin.ts";
import { listDisplayedModels } from "@tollgate/contract/catalogue/models.ts";
import { useRef } from "react";
import { api } from "../../api-queries.ts";
import { isWholeKey } from "../../components/keys/whole-secret.ts";
import { useDebounced } from "../../components/use-debounced.ts";
import { Combobox, type Suggestion } from "../../ui/form/combobox.tsx";

const debounceMs = 300;
const lengthMin = 2;
const offeredMax = 20;
const staleTime = 60_000;

export type LogSuggester = {
  key: string;
  suggest: (text: string, signal: AbortSignal) => Promise<Suggestion[]>;
};

/** The names of the price list that contain the text: the list is loaded once. */
export const suggestModels: LogSuggester = {
  key: "models",
  suggest: async (text, signal) => {
    const { data } = await api.call(listDisplayedModels, { signal });
    const names = new Set(Object.values(data).flatMap(({ models }) => Object.keys(models)));
    const wanted = text.toLowerCase();
    return named([...names].filter((name) => name.toLowerCase().includes(wanted)).sort());
  },
};

/** Users see their own tokens alone; names of others are typed. */
export const suggestTokens: LogSuggester = {
  key: "tokens",
  suggest: async (keyword, signal) => {
    const query = { keyword, size: offeredMax, sort: "name", order: "asc" } as const;
    return named((await api.call(searchTokens, { query, signal })).data.map(({ name }) => name));
  },
};

export const suggestUsers: LogSuggester = {
  key: "users",
  suggest: async (keyword, signal) => {
    const query = { keyword, size: offeredMax, sort: "username", order: "asc" } as const;
    const { data } = await api.call(searchUsers, { query, signal });
    return data.map(({ username, display_name }) => ({
      id: username,
      text: username,
      detail: display_name,
    }));
  },
};

const named = (names: readonly string[]): Suggestion[] =>
  [...new Set(names)].slice(0, offeredMax).map((name) => ({ id: name, text: name }));

type LogSuggestedFilterProps = {
  id: string;
  label: string;
  value: string;
  onChange: (value: string) => void;
  suggester: LogSuggester;
};

/**
 * A filter by name: what is typed is sent as it is, and suggestions complete it. A failed
 * suggestion says nothing.
 */
export function LogSuggestedFilter({
  id,
  label,
  value,
  onChange,
  suggester,
}: LogSuggestedFilterProps) {
  const input = useRef<HTMLInputElement>(null);
  const typed = value.trim();
  const text = useDebounced(typed, debounceMs);
  const found = useQuery({
    queryKey: ["log filter", suggester.key, text],
    queryFn: ({ signal }) => suggester.suggest(text, signal),
    enabled: text.length >= lengthMin && !isWholeKey(text),
    staleTime,
  });
  const isCurrent = text === typed && text.length >= lengthMin;
  const offered = (isCurrent ? (found.data ?? []) : []).filter(
    (suggestion) => suggestion.text !== typed,
  );
  const note =
    typed === "" ||
    !isCurrent ||
    found.error !== null ||
    offered.length > 0 ? undefined : found.isPending ? (
      <Trans>Loading...</Trans>
    ) : undefined;
  return (
    <Combobox
      id={id}
      input={input}
      label={label}
      placeholder=""
      text={value}
      onText={onChange}
      suggestions={offered}
      note={note}
      onPick={(suggestion) => onChange(suggestion.text)}
      onSubmit={() => input.current?.form?.requestSubmit()}
    />
  );
}
