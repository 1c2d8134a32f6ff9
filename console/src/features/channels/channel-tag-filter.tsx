import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { bulkRowsMax } from "@tollgate/contract/api/bulk-verbs.ts";
import { listChannels, listChannelTags } from "@tollgate/contract/catalogue/channels.ts";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import type { ChosenRows } from "../../components/bulk/use-row-selection.ts";
import { toastError } from "../../components/toast-failure.ts";
import { Button } from "../../ui/button.tsx";
import { Select } from "../../ui/form/input.tsx";
import { formatInteger } from "../../ui/format.ts";

type ChannelTagFilterProps = { tag: string; onTag: (tag: string) => void; chosen: ChosenRows | undefined };

/** Narrows the list to one tag, and chooses all of its channels for one act. Nothing is shown where no channel has a tag. */
export function ChannelTagFilter({ tag, onTag, chosen }: ChannelTagFilterProps) {
  const { t } = useLingui();
  const tags = useQuery(api.query(listChannelTags)).data?.data ?? [];
  const choose = useMutation({
    mutationFn: () => api.call(listChannels, { query: { tag, size: bulkRowsMax } }),
    onSuccess: ({ data }) => chosen?.toggle(data.map(readEntityRef), true),
    onError: toastError,
  });
  if (tags.length === 0 && tag === "") return null;
  // The last channel of a tag may just have lost it.
  const offered = tags.some((known) => known.tag === tag) || tag === "" ? tags : [...tags, { tag, channels: 0 }];
  const count = offered.find((known) => known.tag === tag)?.channels ?? 0;
  return (
    <>
      <Select
        controlSize="sm"
        className="w-auto! max-w-60"
        aria-label={t`Tag`}
        value={tag}
        onChange={(event) => onTag(event.target.value)}
      >
        <option value="">{t`All tags`}</option>
        {offered.map((known) => (
          <option key={known.tag} value={known.tag}>
            {`${known.tag} (${formatInteger(known.channels)})`}
          </option>
        ))}
      </Select>
      {tag !== "" && chosen !== undefined && count > 0 && (
        <Button size="sm" busy={choose.isPending} onClick={() => choose.mutate()}>
          {count > bulkRowsMax ? (
            <Trans>Select the first {formatInteger(bulkRowsMax)}</Trans>
          ) : (
            <Trans>Select all {formatInteger(count)}</Trans>
          )}
        </Button>
      )}
    </>
  );
}
