import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { getChannel, searchChannels } from "@tollgate/contract/catalogue/channels.ts";
import { useRef, useState } from "react";
import { readReason } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { useDebounced } from "../../components/use-debounced.ts";
import { Combobox, type Suggestion } from "../../ui/form/combobox.tsx";

const debounceMs = 300;
const offeredMax = 20;
const staleTime = 60_000;

type LogChannelFilterProps = { id: string; value: string; onChange: (value: string) => void };

/** A combobox, because there may be thousands of channels. Only administrators see it. */
export function LogChannelFilter({ id, value, onChange }: LogChannelFilterProps) {
  const { t } = useLingui();
  const input = useRef<HTMLInputElement>(null);
  /** Undefined while the user is not typing: the field then shows the chosen channel. */
  const [typed, setTyped] = useState<string>();
  const [picked, setPicked] = useState<Suggestion>();
  const keyword = useDebounced(typed?.trim() ?? "", debounceMs);
  const found = useQuery({
    queryKey: ["channel names", keyword],
    staleTime,
    queryFn: async ({ signal }): Promise<Suggestion[]> => {
      const query = { keyword, size: offeredMax, sort: "name", order: "asc" } as const;
      const { data } = await api.call(searchChannels, { query, signal });
      return data.map((channel) => ({ id: readEntityRef(channel), text: channel.name }));
    },
  });
  const isPicked = picked?.id === value;
  const named = useQuery({
    queryKey: ["channel name", value],
    staleTime,
    enabled: value !== "" && !isPicked,
    queryFn: async () => (await api.call(getChannel, { params: { id: value } })).data.name,
  });
  const pick = (suggestion: Suggestion) => {
    setPicked(suggestion);
    setTyped(undefined);
    onChange(suggestion.id);
  };
  const isCurrent = keyword === (typed?.trim() ?? "");
  const offered = isCurrent ? (found.data ?? []) : [];
  const [first] = offered;
  const note =
    !isCurrent || found.isPending
      ? t`Loading...`
      : found.error !== null
        ? readReason(found.error, t`Operation failed`)
        : first === undefined
          ? t`No results.`
          : undefined;
  return (
    <Combobox
      id={id}
      input={input}
      label={t`Channel`}
      placeholder={t`All channels`}
      text={typed ?? (isPicked ? picked.text : (named.data ?? value))}
      onText={(text) => {
        setTyped(text);
        if (text === "") onChange("");
      }}
      suggestions={offered}
      note={note}
      onPick={pick}
      onSubmit={() => typed && first && pick(first)}
      // Typed text without a chosen channel does not filter.
      onLeave={() => setTyped(undefined)}
    />
  );
}
