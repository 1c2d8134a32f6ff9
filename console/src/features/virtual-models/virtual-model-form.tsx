import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { listAvailableModels } from "@tollgate/contract/accounts/users.ts";
import {
  type StickyKind,
  stickyKinds,
  tiersMax,
  type VirtualModelAccess,
  type VirtualModelInput,
  virtualModelAccess,
} from "@tollgate/contract/catalogue/virtual-models.ts";
import { Plus } from "lucide-react";
import { type ReactNode, type SubmitEvent, useId, useRef, useState } from "react";
import { findRequestId, readCode, readReason } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { FieldFrame } from "../../ui/form/form-field.tsx";
import { FormGuard } from "../../ui/form/form-guard.tsx";
import { Checkbox, Input, Select } from "../../ui/form/input.tsx";
import {
  buildInput,
  buildTier,
  type DraftTier,
  isSameDraft,
  type VirtualModelDraft,
} from "./virtual-model-draft.ts";
import { VirtualModelTierFields } from "./virtual-model-tier-fields.tsx";
import { accessWords, stickyWords } from "./virtual-model-words.ts";

const nameMax = 100;

interface VirtualModelFormProps {
  saved: VirtualModelDraft;
  draft: VirtualModelDraft;
  onChange: (draft: VirtualModelDraft) => void;
  submit: ReactNode;
  /** Saves, and answers with what follows once the form counts as saved. */
  onSubmit: (input: VirtualModelInput) => Promise<() => void>;
  /** Reads the current version after another administrator's change. */
  onReload?: () => void;
  /** The server would refuse every change but of the status. */
  isReadOnly?: boolean;
}

export function VirtualModelForm({
  saved,
  draft,
  onChange,
  submit,
  onSubmit,
  onReload,
  isReadOnly = false,
}: VirtualModelFormProps) {
  const { t } = useLingui();
  const ids = { name: useId(), models: useId(), sticky: useId(), access: useId() };
  const [failure, setFailure] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  // Read when the page is left, also in the moment after a successful save.
  const isSaved = useRef(false);
  const models = useQuery({ ...api.query(listAvailableModels), select: (reply) => reply.data });
  const set = (change: Partial<VirtualModelDraft>) => {
    isSaved.current = false;
    onChange({ ...draft, ...change });
  };
  const setTier = (changed: DraftTier) =>
    set({ tiers: draft.tiers.map((tier) => (tier.key === changed.key ? changed : tier)) });

  const send = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isBusy) return;
    const input = buildInput(draft);
    const names = [
      draft.name,
      ...draft.tiers.flatMap(({ targets }) => targets.map(({ model }) => model)),
    ];
    if (names.some((name) => name.trim() === "")) {
      return setFailure(new Error(t`Please enter the name and every model`));
    }
    if (input === undefined)
      return setFailure(new Error(t`Weights are whole numbers from 0 to 1,000,000`));
    setBusy(true);
    setFailure(undefined);
    try {
      const done = await onSubmit(input);
      isSaved.current = true;
      done();
    } catch (error) {
      setFailure(error instanceof Error ? error : new Error(String(error)));
    }
    setBusy(false);
  };

  return (
    <Card>
      <form noValidate onSubmit={(event) => void send(event)} className="flex flex-col gap-5">
        <fieldset disabled={isReadOnly} className="flex min-w-0 flex-col gap-5">
          <FieldFrame
            id={ids.name}
            label={t`Name`}
            help={t`Clients use it as the model name.`}
            error={undefined}
          >
            <Input
              id={ids.name}
              aria-describedby={`${ids.name}-help`}
              className="font-mono text-sm!"
              value={draft.name}
              maxLength={nameMax}
              autoComplete="off"
              aria-required
              onChange={({ target }) => set({ name: target.value })}
            />
          </FieldFrame>
          <datalist id={ids.models}>
            {(models.data ?? []).map((model) => (
              <option key={model} value={model} />
            ))}
          </datalist>
          {draft.tiers.map((tier, index) => (
            <VirtualModelTierFields
              key={tier.key}
              tier={tier}
              place={index + 1}
              modelListId={ids.models}
              onChange={setTier}
              {...(draft.tiers.length > 1 && {
                onRemove: () => set({ tiers: draft.tiers.filter(({ key }) => key !== tier.key) }),
              })}
            />
          ))}
          {draft.tiers.length < tiersMax && (
            <div>
              <Button
                size="sm"
                icon={<Plus />}
                onClick={() => set({ tiers: [...draft.tiers, buildTier()] })}
              >
                <Trans>Add a fallback tier</Trans>
              </Button>
            </div>
          )}
          <FieldFrame id={ids.sticky} label={t`Weighted choice`} error={undefined}>
            <Select
              id={ids.sticky}
              value={draft.sticky}
              onChange={({ target }) => set({ sticky: target.value as StickyKind })}
            >
              {stickyKinds.map((kind) => (
                <option key={kind} value={kind}>
                  {t(stickyWords[kind])}
                </option>
              ))}
            </Select>
          </FieldFrame>
          <FieldFrame
            id={ids.access}
            label={t`The model list of a key must hold`}
            help={t`Keys without a model list may use every name.`}
            error={undefined}
          >
            <Select
              id={ids.access}
              aria-describedby={`${ids.access}-help`}
              value={draft.access}
              onChange={({ target }) => set({ access: target.value as VirtualModelAccess })}
            >
              {virtualModelAccess.map((access) => (
                <option key={access} value={access}>
                  {t(accessWords[access])}
                </option>
              ))}
            </Select>
          </FieldFrame>
          <div className="flex flex-col gap-2">
            <LabelledCheckbox
              label={t`Enabled`}
              isChecked={draft.isEnabled}
              onChange={(isEnabled) => set({ isEnabled })}
            />
            <LabelledCheckbox
              label={t`Replaces the model with this name, if channels serve one`}
              isChecked={draft.replacesModel}
              onChange={(replacesModel) => set({ replacesModel })}
            />
            <LabelledCheckbox
              label={t`Also try the next model when a content policy refuses the call`}
              isChecked={draft.retriesRefusedContent}
              onChange={(retriesRefusedContent) => set({ retriesRefusedContent })}
            />
          </div>
        </fieldset>
        {failure !== undefined && (
          <Alert
            title={readReason(failure, t`Operation failed`)}
            requestId={findRequestId(failure)}
          >
            {readCode(failure) === "changed_meanwhile" && onReload !== undefined && (
              <Button size="sm" onClick={onReload}>
                <Trans>Reload</Trans>
              </Button>
            )}
          </Alert>
        )}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" variant="primary" busy={isBusy} disabled={isReadOnly}>
            {submit}
          </Button>
          <ButtonLink to="/channels/virtual/{-$id}" params={{ id: undefined }}>
            <Trans>Back to virtual models</Trans>
          </ButtonLink>
        </div>
      </form>
      <FormGuard losesChanges={() => !isSaved.current && !isSameDraft(saved, draft)} />
    </Card>
  );
}

type LabelledCheckboxProps = {
  label: string;
  isChecked: boolean;
  onChange: (isChecked: boolean) => void;
};

function LabelledCheckbox({ label, isChecked, onChange }: LabelledCheckboxProps) {
  const id = useId();
  return (
    <label htmlFor={id} className="flex items-center gap-2 self-start">
      <Checkbox id={id} checked={isChecked} onChange={({ target }) => onChange(target.checked)} />
      {label}
    </label>
  );
}
