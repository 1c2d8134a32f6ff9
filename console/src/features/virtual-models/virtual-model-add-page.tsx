import { Trans, useLingui } from "@lingui/react/macro";
import { useNavigate } from "@tanstack/react-router";
import {
  createVirtualModel,
  listVirtualModels,
} from "@tollgate/contract/catalogue/virtual-models.ts";
import { useState } from "react";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { useCreation } from "../../components/forms/use-creation.ts";
import { Page } from "../../ui/page.tsx";
import { buildDraft } from "./virtual-model-draft.ts";
import { VirtualModelForm } from "./virtual-model-form.tsx";
import { VirtualModelPreview } from "./virtual-model-preview.tsx";

export function VirtualModelAddPage() {
  const { t } = useLingui();
  const navigate = useNavigate();
  const [saved] = useState(buildDraft);
  const [draft, setDraft] = useState(saved);
  const create = useCreation(createVirtualModel, [listVirtualModels]);
  return (
    <Page title={t`Create virtual model`} subtitle={t`A name that routes to other models`}>
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,36rem)_minmax(0,1fr)]">
        <VirtualModelForm
          saved={saved}
          draft={draft}
          onChange={setDraft}
          submit={<Trans>Create virtual model</Trans>}
          onSubmit={async (input) => {
            const { data } = await create(input);
            return () =>
              void navigate({
                to: "/channels/virtual/{-$id}",
                params: { id: readEntityRef(data) },
              });
          }}
        />
        <VirtualModelPreview draft={draft} unserved={[]} />
      </div>
    </Page>
  );
}
