import { useLingui } from "@lingui/react/macro";
import { getChannel, searchChannels } from "@tollgate/contract/catalogue/channels.ts";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { EntityCombobox, offeredMax } from "../../components/forms/entity-combobox.tsx";

type LogChannelFilterProps = { id: string; value: string; onChange: (value: string) => void };

/** Only administrators see it. */
export function LogChannelFilter(props: LogChannelFilterProps) {
  const { t } = useLingui();
  return (
    <EntityCombobox
      {...props}
      label={t`Channel`}
      placeholder={t`All channels`}
      kind="channel"
      search={async (keyword, signal) => {
        const query = { keyword, size: offeredMax, sort: "name", order: "asc" } as const;
        const { data } = await api.call(searchChannels, { query, signal });
        return data.map((channel) => ({ id: readEntityRef(channel), text: channel.name }));
      }}
      readName={async (id) => (await api.call(getChannel, { params: { id } })).data.name}
    />
  );
}
