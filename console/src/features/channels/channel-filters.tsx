import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { bulkRowsMax } from "@tollgate/contract/api/bulk-verbs.ts";
import { channelTypes } from "@tollgate/contract/catalogue/channel-types.ts";
import {
  type ChannelStateFilter,
  channelStates,
  listChannels,
  listChannelTags,
} from "@tollgate/contract/catalogue/channels.ts";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import type { ChosenRows } from "../../components/bulk/use-row-selection.ts";
import { FilterChip } from "../../components/lists/filter-chip.tsx";
import { GroupFilter } from "../../components/lists/group-filter.tsx";
import { useUrlText } from "../../components/texts/url-view.ts";
import { toastError } from "../../components/toast-failure.ts";
import { Button } from "../../ui/button.tsx";
import { formatInteger } from "../../ui/format.ts";

/** The words of the badges that the rows show. */
const stateLabels = {
  active: msg`Active`,
  paused: msg`Paused`,
  disabled: msg`Disabled`,
  auto_disabled: msg`Auto-disabled`,
  test_failed: msg`Test failed`,
  never_tested: msg`Never tested`,
  no_models: msg`No models`,
} satisfies Record<ChannelStateFilter, unknown>;

const typeChoices = channelTypes
  .map(({ id, name }) => ({ value: String(id), text: name }))
  .toSorted((one, other) => one.text.localeCompare(other.text, "en"));

export function ChannelFilters({ chosen }: { chosen: ChosenRows | undefined }) {
  const { t } = useLingui();
  return (
    <>
      <FilterChip
        name="state"
        label={t`Status`}
        choices={channelStates.map((state) => ({ value: state, text: t(stateLabels[state]) }))}
      />
      <FilterChip name="type" label={t`Type`} choices={typeChoices} />
      <GroupFilter />
      <TagFilter chosen={chosen} />
    </>
  );
}

/**
 * Narrows the list to one tag, and chooses all of its channels for one act. Nothing is shown where
 * no channel has a tag.
 */
function TagFilter({ chosen }: { chosen: ChosenRows | undefined }) {
  const { t } = useLingui();
  const [tag] = useUrlText("tag");
  const tags = useQuery(api.query(listChannelTags)).data?.data ?? [];
  const choose = useMutation({
    mutationFn: () => api.call(listChannels, { query: { tag, size: bulkRowsMax } }),
    onSuccess: ({ data }) => chosen?.toggle(data.map(readEntityRef), true),
    onError: toastError,
  });
  if (tags.length === 0 && tag === "") return null;
  const count = tags.find((known) => known.tag === tag)?.channels ?? 0;
  return (
    <>
      <FilterChip
        name="tag"
        label={t`Tag`}
        choices={tags.map((known) => ({
          value: known.tag,
          text: `${known.tag} (${formatInteger(known.channels)})`,
        }))}
      />
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
