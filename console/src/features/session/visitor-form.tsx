import { type ReactNode, useEffect } from "react";
import {
  type FieldPath,
  type FieldValues,
  FormProvider,
  type UseFormReturn,
} from "react-hook-form";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import type { ContractForm } from "../../ui/form/form-contract.ts";

type VisitorFormProps<In extends FieldValues> = {
  form: ContractForm<In>;
  label: string;
  /** The field that gets the focus. */
  first: FieldPath<In>;
  submit: ReactNode;
  children: ReactNode;
};

export function VisitorForm<In extends FieldValues>({
  form,
  label,
  first,
  submit,
  children,
}: VisitorFormProps<In>) {
  const { setFocus } = form.methods;
  useEffect(() => setFocus(first), [setFocus, first]);
  return (
    <FormProvider {...(form.methods as unknown as UseFormReturn<FieldValues>)}>
      <form noValidate onSubmit={form.submit} aria-label={label} className="flex flex-col gap-4">
        {form.refusal !== undefined && (
          <Alert title={form.refusal.message} requestId={form.refusal.requestId} />
        )}
        {children}
        <Button type="submit" variant="primary" busy={form.isBusy}>
          {submit}
        </Button>
      </form>
    </FormProvider>
  );
}
