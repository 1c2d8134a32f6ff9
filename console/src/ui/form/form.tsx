import { Trans } from "@lingui/react/macro";
import { type ReactNode, use } from "react";
import { type FieldValues, FormProvider, type UseFormReturn } from "react-hook-form";
import { Alert } from "../alert.tsx";
import { Button, ButtonLink } from "../button.tsx";
import { ChangeOnly, MayChange } from "../may-change.tsx";
import { PartBoundary } from "../part-boundary.tsx";
import type { ContractForm } from "./form-contract.ts";
import { FormGuard } from "./form-guard.tsx";
import { type FormSectionLink, FormSectionNav } from "./form-sections.tsx";

type FormProps<In extends FieldValues> = {
  form: ContractForm<In>;
  /** The label of the submit button, and its label while the form submits. */
  submit: ReactNode;
  submitting: ReactNode;
  cancelTo: string;
  /** Loads the current version after a conflict with another user's change. */
  onReload?: (() => void) | undefined;
  /** The sections of a long form. */
  sections?: readonly FormSectionLink[];
  /** `summary` is what the values amount to; beside the form on wide screens, and nowhere else. */
  summary?: ReactNode;
  /** The server would refuse every change; the page says why above the form. */
  isReadOnly?: boolean;
  children: ReactNode;
};

/**
 * A full-page form: one column of fields with a sticky bar that submits or cancels, and beside it
 * on wide screens links to its sections and a summary of its values.
 */
export function Form<In extends FieldValues>({
  form,
  submit,
  submitting,
  cancelTo,
  onReload,
  sections,
  summary,
  isReadOnly = false,
  children,
}: FormProps<In>) {
  const mayChange = use(MayChange);
  return (
    <FormProvider {...(form.methods as unknown as UseFormReturn<FieldValues>)}>
      <div className="flex flex-col items-start gap-x-8 gap-y-4 lg:flex-row">
        <form
          noValidate
          onSubmit={form.submit}
          className="w-full max-w-xl rounded-lg border border-line bg-card [&_:is(input,textarea,select,button)]:scroll-mt-24 [&_:is(input,textarea,select,button)]:scroll-mb-28"
        >
          <fieldset disabled={isReadOnly || !mayChange} className="flex min-w-0 flex-col gap-5 p-4">
            {children}
          </fieldset>
          <div className="sticky bottom-0 z-20 flex flex-col gap-3 rounded-b-lg border-line border-t bg-card p-4">
            <RefusalAlert form={form} onReload={onReload} />
            <div className="flex flex-wrap gap-2">
              <ChangeOnly>
                <Button type="submit" variant="primary" busy={form.isBusy} disabled={isReadOnly}>
                  {form.isBusy ? submitting : submit}
                </Button>
              </ChangeOnly>
              <ButtonLink to={cancelTo}>
                <Trans>Cancel</Trans>
              </ButtonLink>
            </div>
          </div>
        </form>
        <div className="hidden min-w-0 grow flex-col gap-6 empty:hidden lg:sticky lg:top-24 lg:flex">
          {sections !== undefined && <FormSectionNav targets={sections} />}
          {summary !== undefined && <PartBoundary>{summary}</PartBoundary>}
        </div>
      </div>
      <FormGuard losesChanges={form.hasUnsavedChanges} />
    </FormProvider>
  );
}

function RefusalAlert<In extends FieldValues>({
  form: { refusal },
  onReload,
}: Pick<FormProps<In>, "form" | "onReload">) {
  if (refusal === undefined) return null;
  if (!refusal.isConflict || onReload === undefined)
    return <Alert title={refusal.message} requestId={refusal.requestId} />;
  return (
    <Alert title={refusal.message} requestId={refusal.requestId}>
      <p className="mb-2">
        <Trans>
          Nothing was saved. Reloading shows the current values and drops what you changed here.
        </Trans>
      </p>
      <Button size="sm" onClick={onReload}>
        <Trans>Reload</Trans>
      </Button>
    </Alert>
  );
}
