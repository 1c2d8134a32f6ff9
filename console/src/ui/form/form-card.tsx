import type { ReactNode } from "react";
import { type FieldValues, FormProvider, type UseFormReturn } from "react-hook-form";
import { Alert } from "../alert.tsx";
import { Button } from "../button.tsx";
import { Card } from "../card.tsx";
import type { ContractForm } from "./form-contract.ts";
import { FormGuard } from "./form-guard.tsx";

type FormCardProps<In extends FieldValues> = {
  form: ContractForm<In>;
  title: ReactNode;
  note?: ReactNode;
  /** The label of the submit button, and its label while the form submits. */
  submit: ReactNode;
  submitting: ReactNode;
  /**
   * `isMainAct` says that the page is for this form: its button is primary before the first change
   * too.
   */
  isMainAct?: boolean;
  children: ReactNode;
};

/**
 * `FormCard` gives one of several forms on a page. It saves on its own and stays on the page; its
 * button is primary while it has changes.
 */
export function FormCard<In extends FieldValues>({
  form,
  title,
  note,
  submit,
  submitting,
  isMainAct = false,
  children,
}: FormCardProps<In>) {
  return (
    <Card title={title} note={note}>
      <FormProvider {...(form.methods as unknown as UseFormReturn<FieldValues>)}>
        <form noValidate onSubmit={form.submit} className="flex flex-col gap-5">
          {children}
          {form.refusal !== undefined && (
            <Alert title={form.refusal.message} requestId={form.refusal.requestId} />
          )}
          <div>
            <Button
              type="submit"
              variant={isMainAct || form.isDirty ? "primary" : "secondary"}
              busy={form.isBusy}
            >
              {form.isBusy ? submitting : submit}
            </Button>
          </div>
        </form>
        <FormGuard losesChanges={form.hasUnsavedChanges} />
      </FormProvider>
    </Card>
  );
}
