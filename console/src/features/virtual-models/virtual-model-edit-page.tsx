import { Trans, useLingui } from "@lingui/react/macro";
import {
  getVirtualModel,
  getVirtualModelUsage,
  listVirtualModels,
  updateVirtualModel,
  type VirtualModel,
} from "@tollgate/contract/catalogue/virtual-models.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { buildEntityIds, readEntityRef } from "../../compat/entity-ids.ts";
import { EditPage } from "../../components/forms/edit-page.tsx";
import { ItemToggle } from "../../components/lists/item-toggle.tsx";
import { ManagedNotice } from "../../components/managed-notice.tsx";
import { toast } from "../../ui/toast.tsx";
import { readDraft } from "./virtual-model-draft.ts";
import { VirtualModelForm } from "./virtual-model-form.tsx";
import { VirtualModelPreview } from "./virtual-model-preview.tsx";
import { VirtualModelUsageCard } from "./virtual-model-usage-card.tsx";

export function VirtualModelEditPage() {
  const { t } = useLingui();
  return (
    <EditPage
      endpoint={getVirtualModel}
      title={t`Edit virtual model`}
      subtitle={t`Changes apply from the next call`}
      loading={t`Loading virtual model...`}
      fields={4}
      list={{ to: "/channels/virtual", label: t`Back to virtual models` }}
    >
      {(model, onReload) => <EditVirtualModel read={model} onReload={onReload} />}
    </EditPage>
  );
}

function EditVirtualModel({ read, onReload }: { read: VirtualModel; onReload: () => void }) {
  const { t } = useLingui();
  const [stored, setStored] = useState(read);
  const [saved, setSaved] = useState(() => readDraft(read));
  const [draft, setDraft] = useState(saved);
  const { name, managed_by, updated_at } = stored;
  const change = async (members: { managed_by: ""; updated_at: number } | { enabled: boolean }) => {
    await api.change(updateVirtualModel, [listVirtualModels], {
      body: { ...buildEntityIds(stored), ...members },
    });
  };
  const toggle = async (enabled: boolean) => {
    await change({ enabled });
    onReload();
  };
  return (
    <>
      <ManagedNotice
        name={name}
        file={managed_by}
        onTakeOver={() => change({ managed_by: "", updated_at })}
        onTaken={onReload}
      >
        <ItemToggle name={name} isEnabled={stored.enabled} onToggle={toggle} />
      </ManagedNotice>
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,36rem)_minmax(0,1fr)]">
        <VirtualModelForm
          saved={saved}
          draft={draft}
          onChange={setDraft}
          onReload={onReload}
          isReadOnly={managed_by !== ""}
          submit={<Trans>Save</Trans>}
          onSubmit={async (input) => {
            const body = { ...buildEntityIds(stored), ...input, updated_at: stored.updated_at };
            const { data } = await api.change(
              updateVirtualModel,
              [listVirtualModels, getVirtualModelUsage],
              { body },
            );
            return () => {
              setStored(data);
              setSaved(draft);
              toast(t`Saved. Applies from the next call.`);
            };
          }}
        />
        <div className="flex min-w-0 flex-col gap-4">
          <VirtualModelPreview draft={draft} unserved={stored.unserved} checkedName={stored.name} />
          <VirtualModelUsageCard id={readEntityRef(stored)} />
        </div>
      </div>
    </>
  );
}
